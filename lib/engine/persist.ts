import { fullJitter } from '../protocol/backoff.ts';
import { SemelError } from '../protocol/problems.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import type { Setback } from '../store/setback.ts';
import type { Surroundings } from './surroundings.ts';

/** A store that does not answer at all for this long is down: the caller hears so instead of waiting (R21). */
const PATIENCE_WITH_AN_UNREACHABLE_STORE = 1_500;
/** When a client may usefully come back. */
const RETRY_AFTER = 1_000;

/**
 * Repeats a store call until it goes through: full jitter between tries, inside the time that the request has left.
 * The SDK's own retries end early, since their quota runs dry under repeated lost responses; these go on (R22).
 *
 * @rule R21
 * @rule R22
 * @param deadline epoch milliseconds after which no further try starts, and at which a running one is aborted
 * @throws SemelError `store-unavailable` when the store cannot be reached or throttles until the deadline
 * @throws SemelError `too-many-conflicts` when other transactions held the items until the deadline
 */
export async function persist<Outcome extends { readonly kind: string }>(
  surroundings: Surroundings,
  deadline: Milliseconds,
  call: (signal: AbortSignal) => Promise<Outcome | Setback>,
): Promise<Exclude<Outcome, Setback>> {
  const signal = surroundings.abortAfter(milliseconds(deadline - surroundings.now()));
  let silentSince: Milliseconds | undefined;
  for (let tries = 0; ; tries++) {
    const triedAt = surroundings.now();
    const outcome = await call(signal);
    if (!isSetback(outcome)) return outcome as Exclude<Outcome, Setback>;
    surroundings.retried?.(outcome.reason);
    silentSince = outcome.reason === 'unreachable' ? (silentSince ?? triedAt) : undefined;
    const end = silentSince === undefined ? deadline : silentSince + PATIENCE_WITH_AN_UNREACHABLE_STORE;
    const pause = fullJitter(tries, surroundings.random());
    if (surroundings.now() + pause >= Math.min(end, deadline)) throw givenUp(outcome);
    await surroundings.sleep(pause);
  }
}

const isSetback = (outcome: { readonly kind: string }): outcome is Setback => outcome.kind === 'setback';

function givenUp({ reason }: Setback): SemelError {
  return reason === 'conflict'
    ? new SemelError(
        'too-many-conflicts',
        'Other requests kept changing the same items. Send the same request again.',
        {
          retryAfter: RETRY_AFTER,
        },
      )
    : new SemelError('store-unavailable', 'The store did not answer. Send the same request again.', {
        retryAfter: RETRY_AFTER,
      });
}
