import { describe, expect, it } from 'vitest';
import { leaseUntil, SKEW_ALLOWANCE } from '../../lib/protocol/lease.ts';
import { milliseconds } from '../../lib/protocol/time.ts';

const lease = (remaining: number) => leaseUntil(milliseconds(1_000_000), milliseconds(remaining));

describe('leaseUntil', () => {
  it('R13 ends with the function, plus what clocks may differ', () => {
    expect(SKEW_ALLOWANCE).toBe(2_000);
    expect(lease(25_000)).toBe(1_027_000);
  });

  it('R13 takes a remaining time of 0 for a value', () => {
    expect(lease(0)).toBe(1_002_000);
  });

  it('R13 never ends before the allowance', () => {
    expect(lease(-5_000)).toBe(1_002_000);
  });
});
