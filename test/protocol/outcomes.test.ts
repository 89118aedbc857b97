import { describe, expect, it } from 'vitest';
import { judgeAnswer } from '../../lib/client/judge-answer.ts';
import { isFinalStatus, isPassing } from '../../lib/protocol/outcomes.ts';
import { PROBLEMS } from '../../lib/protocol/problems.ts';

describe('isFinalStatus', () => {
  it.each([200, 201, 202, 204, 303, 402, 404, 405, 409, 410, 412, 422, 451, 499])('R16 stores a bare %s', (status) => {
    expect(isFinalStatus(status)).toBe(true);
  });

  it.each([400, 401, 403, 406, 407, 408, 413, 415, 423, 425, 428, 429, 431, 500, 502, 503, 504, 599])(
    'R15 leaves the key usable after a bare %s',
    (status) => {
      expect(isFinalStatus(status)).toBe(false);
    },
  );

  it('R15 stores no status that only problems which leave the key usable have', () => {
    const statuses = new Set(Object.values(PROBLEMS).map(({ status }) => status));
    const neverStored = [...statuses].filter((status) =>
      Object.values(PROBLEMS).every((problem) => problem.status !== status || !problem.stored),
    );
    // 410 and 412 are only the engine's and the wallet's own there: a handler that answers one has decided.
    const decided = [410, 412];
    expect(neverStored.filter((status) => !decided.includes(status) && isFinalStatus(status))).toEqual([]);
  });
});

describe('isPassing', () => {
  it.each([
    { status: 408 },
    { status: 425 },
    { status: 429 },
    { status: 500 },
    { status: 503 },
    { status: 409, headers: { 'Retry-After': '1' } },
    { status: 409, headers: { 'retry-after': '1' } },
  ])('R14 hears "later" in %o', (reply) => {
    expect(isPassing(reply)).toBe(true);
    // And so does the client.
    expect(judgeAnswer(new Response(null, reply))).toBe('again');
  });

  it.each([
    { status: 201 },
    { status: 400 },
    { status: 403 },
    { status: 409 },
    { status: 409, headers: { ETag: '"1"' } },
    { status: 413, headers: { 'Retry-After': '1' } },
  ])('R14 hears a last word in %o', (reply) => {
    expect(isPassing(reply)).toBe(false);
    expect(judgeAnswer(new Response(null, reply))).toBe('settled');
  });
});
