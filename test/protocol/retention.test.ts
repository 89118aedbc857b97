import { describe, expect, it } from 'vitest';
import { assertRetention, DEFAULT_RETENTION, MONEY_RETENTION } from '../../lib/protocol/retention.ts';
import { days, expiryAfter, hours, milliseconds, seconds } from '../../lib/protocol/time.ts';

describe('retention', () => {
  it('R23 is 24 hours by default and 30 days for money', () => {
    expect([DEFAULT_RETENTION, MONEY_RETENTION]).toEqual([86_400, 2_592_000]);
  });

  it('R23 is never below the longest retry horizon, and the error states both numbers', () => {
    expect(() => assertRetention(hours(1), hours(24))).toThrow(
      new RangeError(
        'A retention of 3600 s is shorter than the longest retry horizon of 86400 s: a retry after it would run again.',
      ),
    );
    expect(() => assertRetention(hours(24), hours(24))).not.toThrow();
    expect(() => assertRetention(days(30), hours(24))).not.toThrow();
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('R23 refuses a retention of %s', (retention) => {
    expect(() => assertRetention(seconds(retention), seconds(-10))).toThrow(
      new RangeError(`A retention is a positive whole number of seconds, not ${retention}.`),
    );
  });

  it.each([Number.NaN, -1, -3_600])('R23 refuses a retry horizon of %s, which is no duration', (horizon) => {
    expect(() => assertRetention(hours(24), seconds(horizon))).toThrow(
      new RangeError(`A retry horizon is a number of seconds from 0 on, not ${horizon}.`),
    );
    expect(() => assertRetention(hours(24), seconds(0))).not.toThrow();
  });

  it('R8 counts from completion and rounds up, so that nothing expires early', () => {
    expect(expiryAfter(milliseconds(1_001), hours(1))).toBe(3_602);
    expect(expiryAfter(milliseconds(1_000), hours(1))).toBe(3_601);
  });
});
