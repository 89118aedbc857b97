import { min } from './globals.ts';

/**
 * Reads `Retry-After`, which is a number of seconds or a date.
 *
 * A date is compared with the answer's own `Date`, so that a wrong clock on this side does not matter.
 *
 * @rule R40
 * @param now this side's clock, in milliseconds; used where there is no `Date` to read
 * @returns milliseconds; undefined for no header, for one that is neither, and for a time that is over
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 * @example readRetryAfter(new Headers({ 'retry-after': '2' }), Date.now()) // 2000
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  // A header that is not there is null, which is neither a number above 0 nor a date.
  const text = headers.get('retry-after') as string;
  const wait = Number(text) * 1_000 || Date.parse(text) - (Date.parse(headers.get('date') as string) || now);
  return wait > 0 ? wait : undefined;
}

/** In milliseconds. */
export interface Backoff {
  /** @default 200 */
  readonly base?: number | undefined;
  /** @default 10_000 */
  readonly cap?: number | undefined;
}

/**
 * How long to pause before the next attempt, in milliseconds: never less than the server asked for, plus full jitter,
 * since whoever was sent away at the same time would come back at the same time.
 *
 * The few characters of it are not shared with the engine's, whose defaults would be a part of every page.
 *
 * @rule R40
 * @param retry 0 before the first retry
 * @param random from 0 to 1, 1 excluded
 * @param least what the server asked for, or the circuit, in milliseconds
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @example pauseBefore(2, 0.5, 0, { base: 200, cap: 10_000 }) // 400
 * @example pauseBefore(2, 0.5, 5_000, { base: 200, cap: 10_000 }) // 5400
 */
export const pauseBefore = (
  retry: number,
  random: number,
  least: number,
  { base = 200, cap = 10_000 }: Backoff = {},
): number => least + random * min(cap, base * 2 ** retry);
