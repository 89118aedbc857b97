import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-tree.ts';

const text = readFileSync('docs/choosing.md', 'utf8');
const titles = new Map(
  sourceFiles('test').map(({ path, testCalls }) => [path, testCalls.map(({ title = '' }) => title)] as const),
);
const claims = [...text.matchAll(/\[([RC]\d+)\]\(\.\.\/([^)]+)\)/g)].map(([, id = '', path = '']) => ({ id, path }));

describe('docs/choosing.md', () => {
  it('proves its claims by tests that are there', () => {
    expect(claims.length).toBeGreaterThan(20);
    const unproven = claims.filter(({ id, path }) => !titles.get(path)?.some((title) => title.startsWith(`${id} `)));
    expect(unproven).toEqual([]);
  });

  it('shows every technique by a test', () => {
    const rows =
      text
        .split('\n## ')[1]
        ?.split('\n')
        .filter((line) => line.startsWith('| ')) ?? [];
    const [, , ...techniques] = rows;
    expect(techniques.length).toBeGreaterThan(7);
    expect(techniques.filter((row) => !/\]\(\.\.\/test\//.test(row))).toEqual([]);
  });

  it('links only to what exists', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => join('docs', link));
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});
