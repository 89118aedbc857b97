import { type CircuitOptions, circuits } from './circuit.ts';
import { type DeliveryOptions, deliver } from './deliver.ts';
import { intentKeys, type KeyStorage } from './intent-keys.ts';
import { joinedCalls } from './joined-calls.ts';
import { type Fetch, type KeptKeyOf, outgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';

export interface RetryingFetchOptions extends DeliveryOptions {
  /** Where the keys of intents are kept: `localStorage` survives a reload, a `Map` would not. */
  readonly storage: KeyStorage;
  /** After so many failures in a row at an origin nothing is sent there for a while. @default { failures: 5, openFor: 10_000 } */
  readonly circuit?: CircuitOptions | undefined;
  /** Hears what happens, as it happens. */
  readonly onProgress?: OnProgress | undefined;
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
 * complete, and rejects with a `DeliveryError` otherwise. A GET, HEAD, OPTIONS, PUT or DELETE without a key is
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
  const circuitOf = circuits(options.circuit);
  const keyOf = intentKeys(options.storage, options.deadline);

  const sender =
    (keptKey?: KeptKeyOf): Fetch =>
    async (input, init) => {
      const outgoing = await outgoingRequest(input, init, keptKey);
      const start = (signal: AbortSignal): Promise<Response> =>
        deliver(outgoing, signal, circuitOf(outgoing.origin), report, options);
      return keptKey ? join(outgoing, start) : start(outgoing.signal);
    };

  const intent = (name: string): IntentFetch => {
    const item = `semel:intent:${name}`;
    return Object.assign(
      sender((signal) => keyOf(item, signal)),
      {
        key: async () => (await keyOf(item)).key,
        forget: async () => options.storage.removeItem(item) as Promise<void>,
      },
    );
  };

  return Object.assign(sender(), { intent });
}
