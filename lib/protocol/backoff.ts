import { type Milliseconds, milliseconds } from './time.ts';

interface BackoffOptions {
  /** The bound of the first pause, in milliseconds. */
  readonly base: number;
  /** The bound of every pause, in milliseconds. */
  readonly cap: number;
}

/** A transaction takes about 25 ms, so that is the first bound; seconds of silence would only eat the lease. */
const TRANSACTION_BACKOFF: BackoffOptions = { base: 25, cap: 1_000 };

/**
 * How long to pause before a retry: anything from nothing to a bound that doubles.
 *
 * Full jitter, because those who collided would otherwise come back together and collide again.
 *
 * @rule R22
 * @param attempt how many retries went before: 0 for the first pause
 * @param random from 0 to 1, 1 excluded
 * @default options { base: 25, cap: 1_000 }
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @example fullJitter(3, 0.5, { base: 100, cap: 10_000 }) // 400
 */
export function fullJitter(attempt: number, random: number, { base, cap } = TRANSACTION_BACKOFF): Milliseconds {
  return milliseconds(Math.floor(random * Math.min(cap, base * 2 ** attempt)));
}
