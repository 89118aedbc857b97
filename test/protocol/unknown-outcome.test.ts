import { describe, expect, it } from 'vitest';
import { SemelError } from '../../lib/protocol/problems.ts';
import { tellCause, UnknownOutcome } from '../../lib/protocol/unknown-outcome.ts';

const withCode = (message: string, code: unknown) => Object.assign(new Error(message), { code });
const named = (name: string, message = 'secret') => Object.assign(new Error(message), { name });

describe('tellCause', () => {
  it('R38 repeats what was written to be kept, and what is said by a code of ours', () => {
    expect(tellCause(new UnknownOutcome('The provider answered 500.'))).toBe('The provider answered 500.');
    expect(tellCause(new SemelError('store-unavailable', 'The store did not answer.'))).toBe(
      'store-unavailable: The store did not answer.',
    );
  });

  it.each([
    [new SyntaxError('Unexpected token: "secret" is not valid JSON'), 'SyntaxError'],
    [named('TimeoutError'), 'TimeoutError'],
    [withCode('connect ECONNREFUSED secret:443', 'ECONNREFUSED'), 'Error (ECONNREFUSED)'],
    [new TypeError('secret', { cause: withCode('secret', 'ENOTFOUND') }), 'TypeError (ENOTFOUND)'],
    [withCode('secret', 'a secret'), 'Error'],
    [withCode('secret', 42), 'Error'],
    [withCode('secret', ['ECODE']), 'Error'],
    [named('secret of mine'), 'an error'],
    ['secret', 'an error'],
    [undefined, 'an error'],
    [null, 'an error'],
    [{ message: 'secret' }, 'an error'],
  ])('R38 names any other error, whose message may quote what was sent: %o', (cause, told) => {
    expect(tellCause(cause)).toBe(told);
  });

  it('R38 is one short line', () => {
    const told = tellCause(new UnknownOutcome(`a\n  b${'c'.repeat(1_000)}`));
    expect(told).toMatch(/^a bc+…$/);
    expect(told).toHaveLength(200);
    expect(tellCause(new UnknownOutcome('c'.repeat(200)))).toBe('c'.repeat(200));
    expect(String(new UnknownOutcome('Why.'))).toBe('UnknownOutcome: Why.');
  });
});
