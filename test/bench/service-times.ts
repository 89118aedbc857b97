/**
 * What DynamoDB takes for a call, in milliseconds: half of the calls are faster. Round numbers, near what is published
 * and measured for tables in the function's own region; what matters here is their relation.
 */
export const MEDIANS: Readonly<Record<string, number>> = {
  Put: 7.5,
  Get: 5,
  Update: 7.5,
  Delete: 7.5,
  TransactWrite: 25,
  TransactGet: 12.5,
};

/** One call in a hundred takes three times the median or more. */
const P99_OVER_MEDIAN = 3;
/** The standard normal's 99th percentile. */
const Z99 = 2.326;
const SIGMA = Math.log(P99_OVER_MEDIAN) / Z99;

/** Draws service times from log-normal distributions; the same seed draws the same ones. */
export function serviceTimes(seed: number): (call: string) => number {
  const random = seeded(seed);
  return (call) => {
    const median = MEDIANS[call];
    if (median === undefined) throw new Error(`How long does ${call} take?`);
    // Box–Muller; never the logarithm of 0.
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(SIGMA * normal);
  };
}

/** Mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
