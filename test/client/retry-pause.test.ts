import { describe, expect, it } from 'vitest';
import { pauseBefore, readRetryAfter } from '../../lib/client/retry-pause.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

describe('readRetryAfter', () => {
  it.each([
    ['2', 2_000],
    ['120', 120_000],
    ['Mon, 30 Nov 2026 12:00:07 GMT', 7_000],
    ['Mon, 30 Nov 2026 11:59:00 GMT', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('R40 reads %j as %j ms', (text, expected) => {
    expect(readRetryAfter(new Headers({ 'retry-after': text }), NOW)).toBe(expected);
  });

  it('R40 measures a date against the answer’s own clock', () => {
    const headers = new Headers({
      'retry-after': 'Mon, 30 Nov 2026 15:00:07 GMT',
      date: 'Mon, 30 Nov 2026 15:00:00 GMT',
    });
    expect(readRetryAfter(headers, NOW)).toBe(7_000);
  });

  it('R40 knows an answer without the header', () => {
    expect(readRetryAfter(new Headers(), NOW)).toBeUndefined();
  });
});

describe('pauseBefore', () => {
  const backoff = { base: 200, cap: 1_000 };

  it('R40 doubles its bound up to the cap', () => {
    expect([0, 1, 2, 3, 40].map((retry) => pauseBefore(retry, 0.999_999, 0, backoff)).map(Math.round)).toEqual([
      200, 400, 800, 1_000, 1_000,
    ]);
  });

  it('R40 takes anything down to nothing', () => {
    expect(pauseBefore(3, 0, 0, backoff)).toBe(0);
  });

  it('R40 never comes before the server asked for', () => {
    expect(pauseBefore(0, 0, 5_000, backoff)).toBe(5_000);
    expect(pauseBefore(1, 0.5, 5_000, backoff)).toBe(5_200);
  });
});
