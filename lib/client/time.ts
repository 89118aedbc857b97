/**
 * Milliseconds, by a clock that nobody sets: for durations. It may stand still while the computer sleeps, so an end that
 * matters by the time of day as well is looked up on both clocks.
 */
export const now = (): number => performance.now();

/** Work to wait with, for the time to be over or the signal to abort. */
export const never = (): Promise<never> => new Promise(() => {});

/**
 * Does some work for as long as there is time, and as the signal has not aborted since. Work that does not listen to
 * its signal is left behind.
 *
 * @param duration in milliseconds
 * @throws the signal's reason, or a `TimeoutError`
 */
export const within = <T>(
  duration: number,
  signal: AbortSignal,
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
    const timer = setTimeout(end, duration, new DOMException('', 'TimeoutError'));
    signal.addEventListener('abort', () => end(signal.reason));
    work(both.signal)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
