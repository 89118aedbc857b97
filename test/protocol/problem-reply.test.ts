import { describe, expect, it } from 'vitest';
import { isStored, ownProblem, problemReply, retryAfterSeconds } from '../../lib/protocol/problem-reply.ts';
import { PROBLEMS, type ProblemCode } from '../../lib/protocol/problems.ts';
import { serializeReply } from '../../lib/protocol/reply.ts';

const codes = Object.keys(PROBLEMS) as ProblemCode[];

describe('problemReply', () => {
  it('R19 writes application/problem+json with a relative type', () => {
    const reply = problemReply({ code: 'insufficient-funds', detail: 'The account holds 3.', operationId: 'op_a.b' });
    expect(reply).toEqual({
      status: 402,
      headers: { 'content-type': 'application/problem+json' },
      body: '{"type":"/problems/insufficient-funds","title":"The account holds too little","status":402,"detail":"The account holds 3.","retryable":false,"operation":"op_a.b"}',
    });
  });

  it('R19 leaves out what is not known and lists what is wrong input by input', () => {
    const errors = [{ path: 'amount', message: 'must be a whole number' }];
    const problem: unknown = JSON.parse(
      String(problemReply({ code: 'invalid-body', detail: 'No.', operationId: undefined, errors }).body),
    );
    expect(problem).toEqual({
      type: '/problems/invalid-body',
      title: 'The body is not valid',
      status: 400,
      detail: 'No.',
      retryable: false,
      errors,
    });
  });

  it('R19 says of each problem whether a retry may end differently', () => {
    const retryable = codes.filter((code) =>
      String(problemReply({ code, detail: '' }).body).includes('"retryable":true'),
    );
    expect(retryable).toEqual(codes.filter((code) => PROBLEMS[code].retryable));
    expect(retryable).toContain('request-in-flight');
    expect(retryable).not.toContain('needs-attention');
  });
});

describe('ownProblem', () => {
  const own = { code: 'seat-taken', status: 409, title: 'The seat is taken', detail: 'Seat 7 is sold.' };

  it('R19 writes a problem with a code of one’s own like any other', () => {
    expect(serializeReply(ownProblem(own))).toEqual({
      status: 409,
      headers: { 'content-type': 'application/problem+json' },
      body: '{"type":"/problems/seat-taken","title":"The seat is taken","status":409,"detail":"Seat 7 is sold.","retryable":false}',
    });
  });

  it('R19 says where it is explained, and that it may pass, where it is told so', () => {
    const type = 'https://example.com/sold-out';
    expect(ownProblem({ ...own, status: 429, type, retryable: true }).body).toMatchObject({ type, retryable: true });
  });

  it.each([200, 399, 600, 1_000, 404.5, Number.NaN])('R19 refuses the status %s, which no problem has', (status) => {
    expect(() => ownProblem({ ...own, status })).toThrow(
      `The problem seat-taken has the status ${status}: a problem's is a whole number from 400 to 599.`,
    );
  });

  it.each([402, 404, 409, 410, 412, 422])('R16 does not call a %s retryable, since it is replayed', (status) => {
    expect(() => ownProblem({ ...own, status, retryable: true })).toThrow(
      `The problem seat-taken is retryable, but a ${status} is stored and replayed: leave retryable out, or answer with a status that is never stored, such as 429 or 503.`,
    );
    expect(ownProblem({ ...own, status }).status).toBe(status);
  });
});

describe('isStored', () => {
  it('R15 stores no answer that leaves the key usable', () => {
    const never = [400, 401, 403, 412, 413, 415, 428, 429, 503];
    expect(codes.filter((code) => never.includes(PROBLEMS[code].status) && isStored(code))).toEqual([]);
    expect(isStored('request-in-flight')).toBe(false);
    expect(isStored('idempotency-key-reused')).toBe(false);
  });

  it('R16 stores refusals', () => {
    expect(
      (
        [
          'insufficient-funds',
          'card-declined',
          'account-not-found',
          'currency-mismatch',
          'refund-exceeds-charge',
          'balance-limit',
        ] as const
      ).every(isStored),
    ).toBe(true);
  });
});

describe('retryAfterSeconds', () => {
  it('R18 rounds up to whole seconds, at least one', () => {
    expect([-5, 0, 1, 1_000, 1_001, 5_000].map(retryAfterSeconds)).toEqual(['1', '1', '1', '1', '2', '5']);
  });
});
