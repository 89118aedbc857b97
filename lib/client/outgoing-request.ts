import { stringify } from './globals.ts';
import { KEY_HEADER, type KeptKey } from './intent-keys.ts';
import { isRepeatable } from './judge-answer.ts';

/** What `fetch` is called with. */
export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Gives an intent's key, until the signal aborts. */
export type KeptKeyOf = (signal: AbortSignal) => Promise<KeptKey>;

/** A request that leaves the same each time, to the byte. */
export interface OutgoingRequest extends Omit<KeptKey, 'key' | 'madeAt'> {
  readonly key: string | undefined;
  readonly madeAt?: number | undefined;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly askedAt: number;
  readonly repeatable: boolean;
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Equal for equal requests only. */
  identity(): string;
  send(fetch: Fetch, attempt: number, signal: AbortSignal): Promise<Response>;
}

/**
 * Reads what `fetch` was called with. The body of a request that may be repeated is read now, since a stream could not
 * be sent twice and a form would not be spelled the same twice; any other goes as it is.
 *
 * @param keptKey 's key goes before the request's own
 */
export async function outgoingRequest(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  keptKey?: KeptKeyOf,
): Promise<OutgoingRequest> {
  const askedAt = Date.now();
  const request = new Request(input, init);
  const { method, headers, url, signal } = request;
  const repeatable = isRepeatable(method, !!(keptKey || headers.get(KEY_HEADER)));
  // null leaves the body to the request.
  const body = repeatable && method !== 'GET' && method !== 'HEAD' ? await request.arrayBuffer() : null;
  // Asked for last: what it says of the intent must still be so when the request goes, or joins another.
  const kept = await keptKey?.(signal);
  if (kept) headers.set(KEY_HEADER, kept.key);
  const key = headers.get(KEY_HEADER) || undefined;
  return {
    outcome: 'none',
    ...kept,
    key,
    askedAt,
    repeatable,
    origin: new URL(url).origin,
    // The request's, which Node collects with it: the caller's own may last for ever, with all that listens to it.
    signal,
    identity: () => stringify([method, url, [...headers], body && new TextDecoder('l1').decode(body)]),
    send(fetch, attempt, both) {
      // The server may then read before it writes (R24).
      if (key && attempt > 1) headers.set('idempotency-attempt', `${attempt}`);
      return fetch(request, { ...init, headers, body, signal: both });
    },
  };
}
