import { describe, expect, it } from 'vitest';
import { isPlan, isRefusal, refusalThrown, refuse } from '../../lib/protocol/plan.ts';
import { SemelError } from '../../lib/protocol/problems.ts';

const refusal = { problem: 'insufficient-funds', detail: 'The account holds 3.' } as const;

describe('what a handler returns', () => {
  it.each([
    ['a plan', { effects: [], reply: { status: 201 } }, { plan: true, refusal: false }],
    ['a bare reply', { status: 200 }, { plan: false, refusal: false }],
    ['a refusal', refuse('insufficient-funds', 'The account holds 3.'), { plan: false, refusal: true }],
  ])('R16 is told by its members: %s', (_, planned, expected) => {
    expect({ plan: isPlan(planned), refusal: isRefusal(planned) }).toEqual(expected);
  });

  it('R16 a refusal is a code and a sentence', () => {
    expect(refuse('insufficient-funds', 'The account holds 3.')).toEqual(refusal);
  });
});

describe('refusalThrown', () => {
  it('R16 takes a thrown final code for the refusal that it is', () => {
    expect(refusalThrown(new SemelError(refusal.problem, refusal.detail))).toEqual(refusal);
  });

  it.each([
    ['a code that is not final', new SemelError('store-unavailable', 'The table does not answer.')],
    ['an error of another kind', new TypeError('x is undefined')],
    ['an object that only looks like one', { code: 'insufficient-funds', message: 'The account holds 3.' }],
  ])('R16 throws on what is no final answer: %s', (_, thrown) => {
    expect(() => refusalThrown(thrown)).toThrow(expect.toSatisfy((error) => error === thrown));
  });
});
