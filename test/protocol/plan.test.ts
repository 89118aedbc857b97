import { describe, expect, it } from 'vitest';
import { isPlan, isRefusal, refusalThrown, refuse } from '../../lib/protocol/plan.ts';
import { SemelError } from '../../lib/protocol/problems.ts';

const refusal = { problem: 'insufficient-funds', detail: 'The account holds 3.' } as const;

describe('what a handler returns', () => {
  it.each([
    ['a plan', { effects: [], reply: { status: 201 } }, { plan: true, refusal: false }],
    ['a bare reply', { status: 200 }, { plan: false, refusal: false }],
    ['a refusal', refuse('insufficient-funds', 'The account holds 3.'), { plan: false, refusal: true }],
    ['a copy of a refusal', { ...refuse('insufficient-funds', 'No.') }, { plan: false, refusal: true }],
    ['a reply that tells of a problem', { status: 200, problem: 'low battery' }, { plan: false, refusal: false }],
  ])('R16 is told apart: %s', (_, planned, expected) => {
    expect({ plan: isPlan(planned), refusal: isRefusal(planned) }).toEqual(expected);
  });

  it('R16 a refusal is a code and a sentence', () => {
    expect(refuse('insufficient-funds', 'The account holds 3.')).toMatchObject(refusal);
  });

  it.each([[undefined], [null], [7], ['problem'], [refusal]])('R16 any other value is no refusal: %o', (value) => {
    expect(isRefusal(value)).toBe(false);
  });
});

describe('refusalThrown', () => {
  it('R16 takes a thrown final code for the refusal that it is', () => {
    expect(refusalThrown(new SemelError(refusal.problem, refusal.detail))).toEqual(
      refuse(refusal.problem, refusal.detail),
    );
  });

  it.each([
    ['a code that is not final', new SemelError('store-unavailable', 'The table does not answer.')],
    ['an error of another kind', new TypeError('x is undefined')],
    ['an object that only looks like one', { code: 'insufficient-funds', message: 'The account holds 3.' }],
  ])('R16 throws on what is no final answer: %s', (_, thrown) => {
    expect(() => refusalThrown(thrown)).toThrow(expect.toSatisfy((error) => error === thrown));
  });
});
