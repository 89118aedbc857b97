import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-tree.ts';

const LAST = { R: 41, C: 53 };
const upTo = (letter: 'R' | 'C'): string[] =>
  Array.from({ length: LAST[letter] }, (_, index) => `${letter}${index + 1}`);
const RULES = upTo('R');
const CASES = upTo('C');

const tags = sourceFiles('lib').flatMap(({ path, ruleTags }) => ruleTags.map((tag) => ({ path, ...tag })));
const titles = sourceFiles('test').flatMap(({ path, testCalls }) =>
  testCalls.flatMap(({ callee, title }) => (callee === 'describe' || title === undefined ? [] : [{ path, title }])),
);
const idsInTitles = titles.flatMap(({ path, title }) => {
  const id = /^[RC]\d+\b/.exec(title)?.[0];
  return id === undefined ? [] : [{ path, id }];
});

const isKnown = (id: string): boolean => {
  const [, letter, number] = /^([RC])(\d+)$/.exec(id) ?? [];
  return letter !== undefined && Number(number) >= 1 && Number(number) <= LAST[letter as 'R' | 'C'];
};

describe('rules', () => {
  it('each have a function that carries them out', () => {
    const tagged = new Set(tags.filter(({ declaration }) => declaration?.isFunction).map(({ rule }) => rule));
    expect(RULES.filter((rule) => !tagged.has(rule))).toEqual([]);
  });

  it('are tagged right before what carries them out', () => {
    const astray = tags.filter(({ declaration }) => declaration === undefined);
    expect(astray.map(({ path, line, rule }) => `${path}:${line} @rule ${rule}`)).toEqual([]);
  });

  it('each have a test whose title starts with their id', () => {
    const tested = new Set(idsInTitles.map(({ id }) => id));
    expect(RULES.filter((rule) => !tested.has(rule))).toEqual([]);
  });

  it('and cases are those that exist', () => {
    const ids = [...tags.map(({ path, rule }) => ({ path, id: rule })), ...idsInTitles];
    expect(ids.filter(({ id }) => !isKnown(id))).toEqual([]);
  });
});

describe('cases', () => {
  it('each have a test whose title starts with their id', () => {
    const tested = new Set(idsInTitles.map(({ id }) => id));
    expect(CASES.filter((id) => !tested.has(id))).toEqual([]);
  });
});
