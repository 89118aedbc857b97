import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countLines, sourceFiles } from './source-tree.ts';

const LONGEST_FILE = 250;
/** A Lambda's file is composition: what it does lives in lib/. */
const LONGEST_LAMBDA = 30;
const LONGEST_FUNCTION = 60;
const LONGEST_MEDIAN = 10;

/** Names that say nothing about what is inside attract everything. */
const SAYS_NOTHING = /^(utils?|helpers?|managers?|types|base|common|shared|misc|index)\.ts$/;

const code = sourceFiles('lib', 'functions', 'bin');
const all = [...code, ...sourceFiles('test', '.ci')];

describe('sizes', () => {
  it(`files have at most ${LONGEST_FILE} lines, functions/*.ts at most ${LONGEST_LAMBDA}`, () => {
    expect(all.length).toBeGreaterThan(0);
    const tooLong = all
      .map(({ path, text }) => ({ path, lines: countLines(text) }))
      .filter(({ path, lines }) => lines > (path.startsWith('functions/') ? LONGEST_LAMBDA : LONGEST_FILE));
    expect(tooLong).toEqual([]);
  });

  it(`functions have at most ${LONGEST_FUNCTION} lines`, () => {
    const tooLong = all.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > LONGEST_FUNCTION)
        .map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
    );
    expect(tooLong).toEqual([]);
  });

  it(`half of the functions have at most ${LONGEST_MEDIAN} lines`, () => {
    const lengths = code.flatMap(({ functions }) => functions.map(({ lines }) => lines)).toSorted((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(LONGEST_MEDIAN);
  });
});

describe('names', () => {
  it('say what a file is about', () => {
    expect(all.map(({ path }) => path).filter((path) => SAYS_NOTHING.test(basename(path)))).toEqual([]);
  });
});

describe('tests', () => {
  it('are all switched on', () => {
    const off = sourceFiles('test').flatMap(({ path, testCalls }) =>
      testCalls
        .filter(({ modifiers }) => modifiers.some((modifier) => /^(only|skip|todo|fails)$/.test(modifier)))
        .map(({ line, callee, modifiers }) => `${path}:${line} ${callee}.${modifiers.join('.')}`),
    );
    expect(off).toEqual([]);
  });

  it('depend on what the machine has only in test/browser', () => {
    const conditional = sourceFiles('test').flatMap(({ path, testCalls }) =>
      testCalls
        .filter(({ modifiers }) => modifiers.some((modifier) => /^(skipIf|runIf)$/.test(modifier)))
        .filter(() => !path.startsWith('test/browser/'))
        .map(({ line }) => `${path}:${line}`),
    );
    expect(conditional).toEqual([]);
  });
});
