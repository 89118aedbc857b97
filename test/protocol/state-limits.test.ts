import { describe, expect, it } from 'vitest';
import { refuseState } from '../../lib/protocol/state-limits.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const most = Number.MAX_SAFE_INTEGER;

describe('a state', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['0', 0],
    ['a fraction', { a: [0.1, -1e-130, 1e-130] }],
    ['the safe integers', [-most, most]],
    ['31 levels', nested(31)],
    ['384 KB', 'x'.repeat(384 * 1_024 - 'state'.length)],
  ])('R29 of %s can be stored', (_, state) => {
    expect(refuseState(state)).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['NaN', { a: Number.NaN }, 'holds the number NaN'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'holds the number Infinity'],
    ['an unsafe integer', -most - 1, 'holds the number -9007199254740992'],
    ['a number too near to 0', { a: [{ b: 9.99e-131 }] }, 'holds the number 9.99e-131'],
    ['32 levels', nested(32), 'is more than 31 levels deep'],
    ['a member without a name', { a: { '': 1 } }, 'has a member with no name'],
    ['one byte over 384 KB', 'x'.repeat(384 * 1_024 - 4), 'has 393217 bytes, and may have 393216'],
  ])('R29 of %s is refused, with the reason', (_, state, why) => {
    expect(refuseState(state)).toMatchObject({
      problem: 'message-refused',
      detail: expect.stringContaining(`The state after it ${why}`),
    });
  });
});
