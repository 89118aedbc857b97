import { describe, expect, it } from 'vitest';
import { isRepeatable, judgeAnswer } from '../../lib/client/judge-answer.ts';

const answer = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

/** Every status that a server may send; `Response` takes no informational ones. */
const STATUSES = Array.from({ length: 400 }, (_, index) => index + 200);
const AGAIN = [408, 425, 429, ...STATUSES.filter((status) => status >= 500)];

describe('judgeAnswer', () => {
  it('R40 sends again after 408, 425, 429 and 5xx, and nothing else', () => {
    const judged = STATUSES.filter((status) => judgeAnswer(answer(status)) === 'again');
    expect(judged).toEqual(AGAIN);
  });

  it('R40 sends again after a 409 that says when', () => {
    expect(judgeAnswer(answer(409, { 'retry-after': '1' }))).toBe('again');
    expect(judgeAnswer(answer(409))).toBe('settled');
  });

  it('R40 never sends again after a 422, whatever it says', () => {
    expect(judgeAnswer(answer(422, { 'retry-after': '1' }))).toBe('settled');
  });

  it('R40 takes a kept answer for final, whatever its status', () => {
    expect(judgeAnswer(answer(502, { 'idempotent-replayed': 'true' }))).toBe('settled');
  });
});

describe('isRepeatable', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('R40 %s needs no key', (method) => {
    expect(isRepeatable(method, false)).toBe(true);
  });

  it.each(['POST', 'PATCH', 'LINK', 'get'])('R40 %s needs one', (method) => {
    expect(isRepeatable(method, false)).toBe(false);
    expect(isRepeatable(method, true)).toBe(true);
  });
});
