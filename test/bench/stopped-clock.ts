/**
 * Lets code that asks the system for the time be told another one, while something runs: the peer's leases and expiries
 * then pass as the model's time does.
 */
export async function underClock<T>(now: () => number, run: () => Promise<T>): Promise<T> {
  const system = Date.now;
  Date.now = now;
  try {
    return await run();
  } finally {
    Date.now = system;
  }
}
