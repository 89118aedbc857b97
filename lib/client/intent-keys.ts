import { DeliveryError, type Outcome } from './delivery-error.ts';
import { parse, stringify } from './globals.ts';
import { DEADLINE, within } from './time.ts';

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

/** Somebody looks into the storage, and makes a key if there is none. */
interface Look {
  readonly kept: Promise<Omit<KeptKey, 'outcome'>>;
  /** What is known of the intent so far. */
  outcome: Outcome;
}

/**
 * Keeps one key per intent.
 *
 * A storage that hangs is left waiting: for a read, so that others may look; not for a write, which could still replace
 * a key that was made meanwhile, and sent.
 *
 * @rule R39
 * @rule R40
 * @param patience how long to wait for the storage, in milliseconds
 * @returns what gives an intent's key: the one that is kept, else a new one, kept before it is used; it throws a
 * DeliveryError `storage` when it can be neither read nor kept in time, `aborted` when the signal says so before
 */
export function intentKeys(
  storage: KeyStorage,
  patience = DEADLINE,
): (name: string, signal?: AbortSignal) => Promise<KeptKey> {
  const looks: Record<string, Look> = {};
  return async (name, signal) => {
    // Two taps at once must not both find nothing: the second takes what the first is making.
    looks[name] ??= {
      outcome: 'unknown',
      kept: alone(name, async () => {
        let text = await within(patience, undefined, async () => storage.getItem(name));
        if (text === null) {
          // What could not be written has not been sent; what cannot be read may have been.
          look.outcome = 'none';
          text = stringify({ key: newKey(), madeAt: Date.now() });
          await storage.setItem(name, text);
        }
        const kept = parse(text);
        // What is damaged must not go as a request without a key, nor with one that never gets old.
        if (kept.key.trim() && kept.madeAt > 0) return kept;
        throw new Error(text);
      }).finally(() => delete looks[name]),
    };
    const look = looks[name];
    try {
      return { ...(await within(patience, signal, () => look.kept)), outcome: look.outcome };
    } catch (cause) {
      throw new DeliveryError(signal?.aborted ? 'aborted' : 'storage', look.outcome, cause);
    }
  };
}

export const KEY_HEADER = 'idempotency-key';

/** 128 random bits. Not `randomUUID`, which browsers only have on secure pages. */
export const newKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('-');

/** Two tabs share a storage: where there are locks, only one of them looks at a name at a time. */
const alone = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  globalThis.navigator?.locks?.request(name, work) ?? work();
