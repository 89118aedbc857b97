import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-tree.ts';

/** What is built so far. It grows with each part, up to R41 and C53. */
const RULES = [
  ...'R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R15 R16 R17 R19 R20 R21 R22 R23 R24'.split(' '),
  ...'R25 R26 R27 R28 R29 R30 R31 R32 R33 R34 R35 R36 R37 R38 R39 R40 R41'.split(' '),
];
const CASES = [
  ...'C1 C2 C7 C8 C9 C10 C11 C12 C14 C17 C18 C19 C20 C21 C22 C23 C24'.split(' '),
  ...'C25 C26 C27 C28 C29 C30 C31 C32 C33 C34 C47 C48'.split(' '),
  ...'C35 C36 C37 C38 C39 C40 C41 C46 C49 C50 C52'.split(' '),
];
const LAST = { R: 41, C: 53 };

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
