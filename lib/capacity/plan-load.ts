/** What is going to happen, as one estimates it. */
export interface Load {
  /** New keys a day. */
  readonly perDay: number;
  /** For how many days a key is kept. */
  readonly retentionDays: number;
  /** The size of a record with its reply, in bytes. */
  readonly recordBytes: number;
  /** What is stored for each byte of a record: DynamoDB's own bytes, indexes, and what has expired and is not deleted yet. */
  readonly overhead: number;
  /** How many times the average the busiest second is. */
  readonly peak: number;
  /** How many times the peak to plan for. */
  readonly margin: number;
}

/** How much that is. Rates are new keys a second. */
export interface LoadPlan {
  readonly liveKeys: number;
  /** In bytes. */
  readonly raw: number;
  /** In bytes. */
  readonly stored: number;
  readonly average: number;
  readonly atPeak: number;
  readonly planned: number;
}

const SECONDS_A_DAY = 86_400;

/**
 * Multiplies it out. Rates are rounded up, the larger ones to tens: nobody plans for 925.9 a second.
 *
 * @example planLoad({ perDay: 10e6, retentionDays: 7, recordBytes: 1_500, overhead: 2.5, peak: 8, margin: 2 })
 * // { liveKeys: 70000000, raw: 105000000000, stored: 262500000000, average: 116, atPeak: 930, planned: 1860 }
 */
export function planLoad({ perDay, retentionDays, recordBytes, overhead, peak, margin }: Load): LoadPlan {
  const liveKeys = perDay * retentionDays;
  const raw = liveKeys * recordBytes;
  const perSecond = perDay / SECONDS_A_DAY;
  return {
    liveKeys,
    raw,
    stored: raw * overhead,
    average: roundUp(perSecond),
    atPeak: roundUp(perSecond * peak),
    planned: roundUp(perSecond * peak * margin),
  };
}

/** Above this, single requests a second are noise. */
const EXACT_UP_TO = 200;

function roundUp(rate: number): number {
  // A product like 0.1 × 3 must not be rounded up for its last bit.
  const clean = Number(rate.toPrecision(12));
  return clean > EXACT_UP_TO ? Math.ceil(clean / 10) * 10 : Math.ceil(clean);
}
