import { min } from './globals.ts';

/**
 * Milliseconds, by a clock that nobody sets: for durations. It may stand still while the computer sleeps, so an end that
 * matters by the time of day as well is looked up on both clocks.
 */
export const now = (): number => performance.now();

/** How long a call may take, in milliseconds, unless it is said. */
export const DEADLINE = 60_000;

/** Leaves when the signal aborts, at once if it has. */
export const onAbort = (signal: AbortSignal, leave: (reason: unknown) => void): void => {
  if (signal.aborted) leave(signal.reason);
  else signal.addEventListener('abort', () => leave(signal.reason));
};

/**
 * Does some work for as long as there is time, and as the signal has not aborted. Work that does not listen to its
 * signal is left behind.
 *
 * @param duration in milliseconds; `Infinity` is 23 days
 * @throws the signal's reason, or a `TimeoutError`
 */
export const within = <T>(
  duration: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // Neither AbortSignal.timeout, which would go on ticking over the body of a long stream, nor AbortSignal.any, which
    // Node may collect while somebody listens.
    const both = new AbortController();
    const end = (reason: unknown): void => {
      clearTimeout(timer);
      reject(reason);
      both.abort(reason);
    };
    // A longer timer than 2^31 ms would end at once.
    const timer = setTimeout(end, min(duration, 2e9), new DOMException('', 'TimeoutError'));
    if (signal) onAbort(signal, end);
    work(both.signal)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
