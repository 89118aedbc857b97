import { DeliveryError, type Outcome } from './delivery-error.ts';

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
 * @returns what gives an intent's key: the one that is kept, else a new one, kept before it is used; it throws a
 * DeliveryError `storage` when it can be neither read nor kept
 */
export function intentKeys(storage: KeyStorage): (name: string) => Promise<KeptKey> {
  const reading = new Map<string, Promise<KeptKey>>();
  const readOrMake = async (name: string): Promise<KeptKey> => {
    // A key that cannot be read may have been used; one that could not be written has not.
    let outcome: Outcome = 'unknown';
    try {
      const text = await storage.getItem(name);
      if (text === null) {
        outcome = 'none';
        const made = { key: newKey(), madeAt: Date.now() };
        await storage.setItem(name, JSON.stringify(made));
        return { ...made, outcome };
      }
      const kept = JSON.parse(text);
      // What is damaged must not go as a request without a key, nor with one that never gets old.
      if (kept.key.trim() && kept.madeAt > 0) return { ...kept, outcome };
      throw new Error(text);
    } catch (cause) {
      throw new DeliveryError({ problem: 'storage', outcome }, cause);
    }
  };
  return (name) => {
    // Two taps at once must not both find nothing: the second takes what the first is making.
    const kept = reading.get(name) ?? alone(name, () => readOrMake(name)).finally(() => reading.delete(name));
    reading.set(name, kept);
    return kept;
  };
}

export const KEY_HEADER = 'idempotency-key';

/** 128 random bits. Not `randomUUID`, which browsers only have on secure pages. */
export const newKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('-');

/** Two tabs share a storage: where there are locks, only one of them looks at a name at a time. */
const alone = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  globalThis.navigator?.locks ? navigator.locks.request(name, work) : work();
