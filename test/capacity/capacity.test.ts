import { describe, expect, it } from 'vitest';
import { hotKeyLimits } from '../../lib/capacity/hot-keys.ts';
import { requestCost, storageCost } from '../../lib/capacity/monthly-cost.ts';
import { partitions } from '../../lib/capacity/partitions.ts';
import { planLoad } from '../../lib/capacity/plan-load.ts';
import { hintedRetry, NEW_REQUEST, readUnits, silentRetry, writeUnits } from '../../lib/capacity/request-units.ts';

const LOAD = { perDay: 10e6, retentionDays: 7, recordBytes: 1_500, overhead: 2.5, peak: 8, margin: 2 };

describe('a load', () => {
  it('is multiplied out and its rates rounded up', () => {
    expect(planLoad(LOAD)).toEqual({
      liveKeys: 70e6,
      raw: 105e9,
      stored: 262.5e9,
      average: 116,
      atPeak: 930,
      planned: 1_860,
    });
  });

  it('that comes out even is not rounded up for its last bit', () => {
    expect(planLoad({ ...LOAD, perDay: 86_400 * 0.1, peak: 3, margin: 1 })).toMatchObject({ average: 1, atPeak: 1 });
    expect(planLoad({ ...LOAD, perDay: 86_400 * 30, peak: 0.1 * 3, margin: 1 / 0.3 })).toMatchObject({ planned: 30 });
  });
});

describe('units', () => {
  it('start at one and count by kilobytes of 1,024 bytes', () => {
    expect([0, 1_024, 1_025, 1_500].map(writeUnits)).toEqual([1, 1, 2, 2]);
    expect([0, 4_096, 4_097].map(readUnits)).toEqual([1, 1, 2]);
  });

  it('of a new transfer, whose record and three items are below 1 KB, are eight in one request', () => {
    expect(NEW_REQUEST.atomic({ recordBytes: 900, effects: 3 })).toEqual({ requests: 1, writes: 8, reads: 1 });
  });

  it('of a leased operation are those of its claim and of two index entries more', () => {
    expect(NEW_REQUEST.leased({ recordBytes: 900, effects: 3 })).toEqual({ requests: 2, writes: 11, reads: 1 });
  });

  it('of a message are its marker and its effects', () => {
    expect(NEW_REQUEST.message({ recordBytes: 9_000, effects: 3 })).toEqual({ requests: 1, writes: 8, reads: 0 });
  });

  it('of a retry are a read if it says that it is one', () => {
    const shape = { recordBytes: 5_000, effects: 3 };
    expect(hintedRetry(shape)).toEqual({ requests: 1, writes: 0, reads: 3 });
    expect(silentRetry(shape)).toEqual(NEW_REQUEST.atomic(shape));
  });
});

describe('cost', () => {
  it('on demand counts units, provisioned counts hours', () => {
    const { onDemand, provisioned } = requestCost({ writes: 8, reads: 1 }, { perDay: 24e6, planned: 100 });
    expect(onDemand).toBeCloseTo(730 * (8 * 0.625 + 0.125));
    expect(provisioned).toBeCloseTo(100 * 730 * (8 * 0.00065 + 0.00013));
  });

  it('of storage includes backups', () => {
    expect(storageCost(100e9)).toBeCloseTo(45);
  });
});

describe('partitions', () => {
  it('follow from size or traffic, whichever asks for more', () => {
    expect(partitions(262.5e9, { writeUnits: 7_440, readUnits: 1_860 })).toBe(27);
    expect(partitions(20e9, { writeUnits: 7_440, readUnits: 1_860 })).toBe(9);
    expect(partitions(0, { writeUnits: 0, readUnits: 0 })).toBe(1);
  });

  it('do not help one key', () => {
    expect(hotKeyLimits(5_000).map(({ perSecond }) => perSecond)).toEqual([500, 1_000, 1_500, 4_000]);
  });
});
