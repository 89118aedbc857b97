import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

describe('npm scripts', () => {
  it('install what is pinned first, so that each of them works in a fresh clone', () => {
    const called = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
    expect(called.length).toBeGreaterThan(15);
    expect(called.filter((name) => scripts[`pre${name}`] !== 'node bin/ensure-installed.mjs')).toEqual([]);
  });
});
