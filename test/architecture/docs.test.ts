import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-tree.ts';

const pages = ['README.md', ...globSync('docs/*.md'), ...globSync('examples/**/README.md')].toSorted();
const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
const commands = sourceFiles('lib').flatMap(({ path, text }) =>
  path.startsWith('lib/cli/') ? Array.from(text.matchAll(/^ {2}name: '([\w ]+)',$/gm), ([, name = '']) => name) : [],
);

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');
  const found = (pattern: RegExp): string[] => Array.from(text.matchAll(pattern), ([, word = '']) => word);

  it('links only to what exists', () => {
    const links = found(/\]\(((?!https?:|#)[^)#]+)/g).map((link) => join(dirname(page), link));
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });

  it('names only commands that exist', () => {
    const own = page.startsWith('examples/') ? ['synth', 'local', 'deploy'] : scripts;
    expect(found(/npm run (?:-s )?([\w:-]+)/g).filter((name) => !own.includes(name))).toEqual([]);
    const called = found(/(?:(?:^|`|\$ |npx )semel|semel --) ([a-z]+(?: [a-z]+)?)/gm);
    expect(called.filter((words) => !commands.some((name) => `${words} `.startsWith(`${name} `)))).toEqual([]);
  });
});
