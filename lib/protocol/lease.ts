import { type Milliseconds, milliseconds } from './time.ts';

/** How far the clocks of two functions may be apart; Lambda's own are much closer. */
export const SKEW_ALLOWANCE: Milliseconds = milliseconds(2_000);

/**
 * Until when nobody else may take the record over: the function cannot live longer than its remaining time.
 *
 * @rule R13
 * @param remaining the function's remaining time; 0 means that it is about to end, not that it is unknown
 * @example leaseUntil(milliseconds(1_000), milliseconds(0)) // 3000
 */
export function leaseUntil(now: Milliseconds, remaining: Milliseconds): Milliseconds {
  return milliseconds(now + Math.max(0, remaining) + SKEW_ALLOWANCE);
}

/**
 * May a failed attempt free the key? Only the first one, before any committed phase: a later attempt may follow one that
 * charged and crashed, and deleting the record would lose the operation id that the charge is known by.
 *
 * @rule R14
 * @example mayRelease({ attempt: 2 }) // false
 */
export const mayRelease = (record: { readonly attempt: number; readonly recoveryPoint?: string }): boolean =>
  record.attempt === 1 && record.recoveryPoint === undefined;

/** A retry soon after an unknown outcome often finds it known; from the second on, the other side gets room. */
const LONGEST_PAUSE = 5_000;

/**
 * For how long an operation rests after its n-th unknown outcome in a row: the lease is shortened to this.
 *
 * @example restAfterUnknown(1) // 0
 * @example restAfterUnknown(3) // 2000
 */
export const restAfterUnknown = (unknowns: number): Milliseconds =>
  milliseconds(unknowns <= 1 ? 0 : Math.min(LONGEST_PAUSE, 1_000 * 2 ** (unknowns - 2)));
