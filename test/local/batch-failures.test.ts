import { describe, expect, it } from 'vitest';
import { failuresOf } from '../../lib/local/batch-failures.ts';

const ids = ['a', 'b'];
const returned = (payload: unknown) => ({ kind: 'returned' as const, payload: JSON.stringify(payload) });
const failing = (...identifiers: unknown[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('failuresOf', () => {
  it.each<[unknown, readonly string[]]>([
    [failing('b'), ['b']],
    [failing('a', 'b'), ['a', 'b']],
    [failing(), []],
    [{ batchItemFailures: null }, []],
    [{}, []],
    [null, []],
    ['text', []],
  ])('reads %j as %j', (payload, expected) => {
    expect(failuresOf(returned(payload), ids, true)).toEqual(new Set(expected));
  });

  it.each([
    failing(''),
    failing(null),
    failing('c'),
    failing('a', 'c'),
    { batchItemFailures: 'a' },
    { batchItemFailures: [{ id: 'a' }] },
    { batchItemFailures: [null] },
  ])('takes all for failed that came with %j', (payload) => {
    expect(failuresOf(returned(payload), ids, true)).toBe('all');
  });

  it('reads no report where none was asked for, and takes all for failed that did not return', () => {
    expect(failuresOf(returned(failing('b')), ids, false)).toEqual(new Set());
    for (const kind of ['crashed', 'timed-out'] as const) expect(failuresOf({ kind }, ids, false)).toBe('all');
  });
});
