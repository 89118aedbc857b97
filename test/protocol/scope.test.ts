import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReserved, JOBS, scopedKey, scopeParts } from '../../lib/protocol/scope.ts';
import { problemOf } from './problem-of.ts';

const use = { caller: 'alice', operation: 'pay', key: 'k1' };
const parts = fc.array(
  fc.string({ unit: 'binary', maxLength: 4 }).filter((part) => part.isWellFormed()),
  { maxLength: 4 },
);

describe('scopedKey', () => {
  it('R3 writes each part with its length', () => {
    expect(scopedKey(['caller', 'alice', 'k1'])).toBe('6:caller5:alice2:k1');
  });

  it.each([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['a', ''], ['a']],
    [['1:a', 'b'], ['1:a1:b']],
    [['', ''], ['']],
  ])('R3 tells %j from %j', (a, b) => {
    expect(scopedKey(a)).not.toBe(scopedKey(b));
  });

  it('R3 is injective: equal only for equal parts', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(scopedKey(a) === scopedKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('R3 is injective for the digits and colons that imitate a length', () => {
    const imitating = fc.array(fc.string({ unit: fc.constantFrom('0', '1', '2', ':'), maxLength: 5 }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(imitating, imitating, (a, b) => {
        expect(scopedKey(a) === scopedKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('R3 refuses a lone surrogate, which UTF-8 would merge with others', () => {
    expect(problemOf(() => scopedKey(['\ud800']))).toMatchObject({
      code: 'internal-error',
      message: 'A part of a scope holds a lone surrogate.',
    });
  });
});

describe('isReserved', () => {
  it('R3 keeps the names under which jobs run from every caller', () => {
    expect([JOBS, 'semel:', 'semel:anything'].map(isReserved)).toEqual([true, true, true]);
    expect(['alice', 'semel', 'Semel:jobs', 'a semel:', ''].map(isReserved)).toEqual(Array(5).fill(false));
  });
});

describe('scopeParts', () => {
  it('R3 names the scope, then who, then for what', () => {
    expect(scopeParts('caller', use)).toEqual(['caller', 'alice', 'k1']);
    expect(scopeParts('caller-and-operation', use)).toEqual(['caller-and-operation', 'alice', 'pay', 'k1']);
  });

  it('R3 leaves the operation out of the default scope, so that a key reused on another endpoint is the same key', () => {
    expect(scopeParts('caller', use)).toEqual(scopeParts('caller', { ...use, operation: 'refund' }));
  });

  it('R3 keeps callers and operations apart', () => {
    const scoped = (changed: Partial<typeof use>) =>
      scopedKey(scopeParts('caller-and-operation', { ...use, ...changed }));
    expect(
      new Set([scoped({}), scoped({ caller: 'bob' }), scoped({ operation: 'refund' }), scoped({ key: 'k2' })]).size,
    ).toBe(4);
  });

  it('R3 never lets a key of one scope be a key of the other', () => {
    const text = fc.constantFrom('', 'a', 'pay', 'caller', 'caller-and-operation');
    const anyUse = fc.record({ caller: text, operation: text, key: text });
    fc.assert(
      fc.property(anyUse, anyUse, (a, b) => {
        expect(scopedKey(scopeParts('caller', a))).not.toBe(scopedKey(scopeParts('caller-and-operation', b)));
      }),
    );
  });
});
