import { DeliveryError, type Outcome } from './delivery-error.ts';
import { singleFlight } from './single-flight.ts';

/** Where the keys of intents are kept; `localStorage` is one. */
export interface KeyStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
  removeItem(name: string): unknown;
}

export interface KeptKey {
  readonly key: string;
  /** Milliseconds since the epoch, by this side's clock. */
  readonly madeAt: number;
  /** What an earlier call may have done with this key: it is `unknown` unless the key is new. */
  readonly outcome: Outcome;
}

/**
 * Keeps one key per intent.
 *
 * @rule R39
 */
export function intentKeys(storage: KeyStorage) {
  const reading = new Map<string, Promise<KeptKey>>();
  return {
    /**
     * The intent's key: the one that is kept, else a new one, kept before it is used.
     *
     * @throws DeliveryError `storage` when it can be neither read nor kept
     */
    // Two taps at once must not both find nothing: the second takes what the first is making.
    take: (name: string): Promise<KeptKey> =>
      singleFlight(reading, name, () => alone(name, () => readOrMake(storage, name))),
    /** Drops the intent's key, so that the next request under this name is a new one. */
    forget: async (name: string): Promise<void> => {
      await storage.removeItem(name);
    },
  };
}

async function readOrMake(storage: KeyStorage, name: string): Promise<KeptKey> {
  // A key that cannot be read may have been used; one that could not be written has not.
  let outcome: Outcome = 'unknown';
  try {
    const text = await storage.getItem(name);
    if (text !== null) return { ...JSON.parse(text), outcome };
    outcome = 'none';
    const made = { key: newKey(), madeAt: Date.now() };
    await storage.setItem(name, JSON.stringify(made));
    return { ...made, outcome };
  } catch (cause) {
    throw new DeliveryError({ problem: 'storage', outcome, attempts: 0 }, cause);
  }
}

/** 128 random bits. Not `randomUUID`, which browsers only have on secure pages. */
export const newKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('-');

/** Two tabs share a storage: where there are locks, only one of them looks at a name at a time. */
const alone = async <T>(name: string, work: () => Promise<T>): Promise<T> =>
  globalThis.navigator?.locks ? navigator.locks.request(name, work) : work();
