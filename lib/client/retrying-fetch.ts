import { type CircuitOptions, circuits } from './circuit.ts';
import { type Delivery, deliver } from './deliver.ts';
import { intentKeys, type KeyStorage } from './intent-keys.ts';
import { joinedCalls } from './joined-calls.ts';
import { type Fetch, type KeptKeyOf, outgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';

/** All durations in milliseconds. */
export interface RetryingFetchOptions {
  /** Where the keys of intents are kept: `localStorage` survives a reload, a `Map` would not. */
  readonly storage: KeyStorage;
  /** How long the server keeps a key's answer, as it publishes it; no attempt is made with an older key. @default 24 h */
  readonly retention?: number;
  /** The most attempts of one call. @default 10 */
  readonly attempts?: number;
  /** How long one attempt may take. @default 10_000 */
  readonly attemptTimeout?: number;
  /** How long a call may take, with its pauses and the wait for the storage. @default 60_000 */
  readonly deadline?: number;
  /** Pauses: anything up to `base`, which doubles with each retry up to `cap`. @default { base: 200, cap: 10_000 } */
  readonly backoff?: { readonly base: number; readonly cap: number };
  /** After so many failures in a row at an origin nothing is sent there for a while. @default { failures: 5, openFor: 10_000 } */
  readonly circuit?: CircuitOptions;
  /** Hears what happens, as it happens. */
  readonly onProgress?: OnProgress;
  /** What sends a single attempt. @default the global fetch */
  readonly fetch?: typeof fetch;
}

/** `fetch` for one intent: every request through it carries the intent's key. */
export interface IntentFetch extends Fetch {
  /** The intent's key; made and kept now, if there is none yet. */
  key(): Promise<string>;
  /** Drops the key. Only for what is over: whoever asks again under this name, asks for something new. */
  forget(): Promise<void>;
}

export interface RetryingFetch extends Fetch {
  /**
   * The one thing that somebody wants, by a name that stays the same however often they try.
   *
   * @example
   * const pay = retryingFetch.intent('order-8421');
   * await pay('/charges', { method: 'POST', body }); // sent until answered: one charge
   * await pay('/charges', { method: 'POST', body }); // the same answer again, Idempotent-Replayed: true
   */
  intent(name: string): IntentFetch;
}

/**
 * Makes a `fetch` that sends again what is safe to send again.
 *
 * A request with an `Idempotency-Key`, an intent's or its own, resolves with an answer that settles it, its body
 * complete, and rejects with a `DeliveryError` otherwise. A GET, HEAD, OPTIONS, PUT, DELETE or TRACE without a key is
 * repeated too, and resolves with the last answer there was. Anything else is sent once.
 *
 * @rule R39
 * @rule R40
 * @example
 * const retryingFetch = createRetryingFetch({ storage: localStorage, onProgress: console.log });
 * const answer = await retryingFetch.intent('order-8421')('/transfers', {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json' },
 *   body: JSON.stringify({ from: 'acct_alice', to: 'acct_bob', amount: 500 }),
 * });
 * answer.status // 201
 */
export function createRetryingFetch(options: RetryingFetchOptions): RetryingFetch {
  // Told aside: a listener that fails must not make it look as if the request did.
  const report: OnProgress = (progress) => queueMicrotask(() => options.onProgress?.(progress));
  const join = joinedCalls(report);
  const delivery: Delivery = {
    // Looked up at each call: pages and tests replace the global one.
    fetch: (input, init) => fetch(input, init),
    attempts: 10,
    attemptTimeout: 10_000,
    deadline: 60_000,
    // The protocol's CLIENT_RETRY_HORIZON, which endpoints are held to; written out, since its module is not worth its bytes.
    retention: 86_400_000,
    backoff: { base: 200, cap: 10_000 },
    circuitOf: circuits(options.circuit ?? { failures: 5, openFor: 10_000 }),
    report,
    ...options,
  };
  const keyOf = intentKeys(options.storage, delivery.deadline);

  const sender =
    (keptKey?: KeptKeyOf): Fetch =>
    async (input, init) => {
      const outgoing = await outgoingRequest(input, init, keptKey);
      const start = (signal: AbortSignal): Promise<Response> => deliver(outgoing, signal, delivery);
      return keptKey ? join(outgoing, start) : start(outgoing.signal);
    };

  const intent = (name: string): IntentFetch => {
    const item = `semel:intent:${name}`;
    return Object.assign(
      sender((signal) => keyOf(item, signal)),
      {
        key: async () => (await keyOf(item)).key,
        forget: async () => {
          await options.storage.removeItem(item);
        },
      },
    );
  };

  return Object.assign(sender(), { intent });
}
