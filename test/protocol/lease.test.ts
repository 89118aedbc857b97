import { describe, expect, it } from 'vitest';
import { leaseUntil, mayRelease, restAfterUnknown, SKEW_ALLOWANCE } from '../../lib/protocol/lease.ts';
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

describe('mayRelease', () => {
  it('R14 frees the key only on the first attempt, before any committed phase', () => {
    expect(mayRelease({ attempt: 1 })).toBe(true);
    expect(mayRelease({ attempt: 1, recoveryPoint: 'reserved' })).toBe(false);
  });

  it('C51 keeps the record from the second attempt on: the first may have charged', () => {
    expect(mayRelease({ attempt: 2 })).toBe(false);
  });
});

describe('restAfterUnknown', () => {
  it('R13 shortens the lease to nothing after the first unknown outcome, then to pauses that double up to 5 s', () => {
    expect([0, 1, 2, 3, 4, 5, 100].map(restAfterUnknown)).toEqual([0, 0, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });
});
