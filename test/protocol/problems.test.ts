import { expect, it } from 'vitest';
import { findProblem, PROBLEMS, SemelError } from '../../lib/protocol/problems.ts';

it('R19 an error carries its code, its sentence, and everything that is known beside them', () => {
  const extras = {
    retryAfter: 1_500,
    operationId: 'op_a.b',
    errors: [{ path: 'amount', message: 'must be a whole number' }],
    cause: new TypeError('socket closed'),
  };
  const error = new SemelError('outcome-unknown', 'The provider did not answer.', extras);
  expect({ ...error, message: error.message, cause: error.cause }).toEqual({
    name: 'SemelError',
    code: 'outcome-unknown',
    message: 'The provider did not answer.',
    ...extras,
  });
  expect(new SemelError('outcome-unknown', 'The provider did not answer.').cause).toBeUndefined();
});

it('R19 a problem is found by its own code only, not by what every object has', () => {
  expect(findProblem('card-declined')).toBe(PROBLEMS['card-declined']);
  expect(['', 'card-lost', 'toString', '__proto__'].map(findProblem)).toEqual(Array(4).fill(undefined));
});
