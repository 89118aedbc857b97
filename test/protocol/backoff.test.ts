import { describe, expect, it } from 'vitest';
import { fullJitter } from '../../lib/protocol/backoff.ts';

describe('fullJitter', () => {
  it('R22 doubles its bound with each retry up to the cap', () => {
    const almostOne = 1 - Number.EPSILON;
    const pauses = [0, 1, 2, 3, 4].map((attempt) => fullJitter(attempt, almostOne, { base: 100, cap: 500 }));
    expect(pauses).toEqual([99, 199, 399, 499, 499]);
  });

  it('R22 spreads over the whole range from nothing to the bound', () => {
    expect([0, 0.25, 0.5].map((random) => fullJitter(1, random, { base: 100, cap: 500 }))).toEqual([0, 50, 100]);
  });

  it('R22 stays at the cap after thousands of retries', () => {
    expect(fullJitter(5_000, 0.5)).toBe(500);
  });

  it('R22 starts by itself at the time of a transaction', () => {
    expect(fullJitter(0, 0.96)).toBe(24);
  });
});
