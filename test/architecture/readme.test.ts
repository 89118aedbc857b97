import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withCurrentRules } from './rules-table.ts';

const readme = readFileSync('README.md', 'utf8');

describe('README.md', () => {
  it('says where each rule is carried out (npm run readme brings it up to date)', () => {
    expect(withCurrentRules(readme)).toBe(readme);
  });

  it('links to files that exist', () => {
    const links = Array.from(readme.matchAll(/\]\(((?!https?:|#).+?)\)/g), ([, file = '']) => file);
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('leads to every page of the documentation', () => {
    const pages = globSync('docs/*.md').toSorted();
    expect(pages.length).toBeGreaterThan(9);
    expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
  });

  it('shows imports that the package has', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = Array.from(readme.matchAll(/['`]semel(\/\w+)?['`]/g), ([, entry = '']) => `.${entry}`);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((entry) => !(entry in exports))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = Array.from(readme.matchAll(/npm run (?:-s )?([\w-]+)/g), ([, name = '']) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
