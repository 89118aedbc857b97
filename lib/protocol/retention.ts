import { days, hours, type Seconds } from './time.ts';

/** For how long the client of this package sends a key again, unless it is told otherwise. */
export const CLIENT_RETRY_HORIZON: Seconds = hours(24);

/** A day: as long as any client of ours retries, and what other published APIs keep. */
export const DEFAULT_RETENTION: Seconds = hours(24);

/** Charges and refunds: disputes and end-of-month repairs repeat requests that are weeks old. */
export const MONEY_RETENTION: Seconds = days(30);

/**
 * Makes sure that a key outlives every retry of its request; the first one after the end would run again.
 *
 * @rule R23
 * @param retention how long replies are kept, counted from completion
 * @param longestRetryHorizon how long after its first try a request may still be sent again
 * @throws RangeError when it does not, and for what is no duration; the message states the numbers
 * @example assertRetention(hours(1), hours(24)) // RangeError: A retention of 3600 s is shorter than …
 */
export function assertRetention(retention: Seconds, longestRetryHorizon: Seconds): void {
  if (!Number.isInteger(retention) || retention <= 0) {
    throw new RangeError(`A retention is a positive whole number of seconds, not ${retention}.`);
  }
  // Nothing is shorter than NaN, so it would pass any comparison.
  if (!(longestRetryHorizon >= 0)) {
    throw new RangeError(`A retry horizon is a number of seconds from 0 on, not ${longestRetryHorizon}.`);
  }
  if (retention < longestRetryHorizon) {
    throw new RangeError(
      `A retention of ${retention} s is shorter than the longest retry horizon of ${longestRetryHorizon} s: a retry after it would run again.`,
    );
  }
}
