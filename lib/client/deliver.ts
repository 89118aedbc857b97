import { makeAttempt } from './attempt.ts';
import { type Circuit, isDown } from './circuit.ts';
import { DeliveryError, type DeliveryProblem } from './delivery-error.ts';
import { max, min } from './globals.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';
import { type Backoff, pauseBefore, readRetryAfter } from './retry-pause.ts';
import { within } from './time.ts';
import { type TimeLimits, timeLimit } from './time-limit.ts';

export interface DeliveryOptions extends TimeLimits {
  /** What sends a single attempt. @default the global fetch */
  readonly fetch?: typeof fetch | undefined;
  /** The most attempts of one call. @default 10 */
  readonly attempts?: number | undefined;
  /** Pauses: anything up to `base`, which doubles with each retry up to `cap`. @default { base: 200, cap: 10_000 } */
  readonly backoff?: Backoff | undefined;
}

/**
 * Sends a request until its answer settles it, or until it must not, cannot or need not be sent again.
 *
 * @rule R40
 * @throws DeliveryError where no answer settles it. Without a key, an answer that settles nothing is returned, as
 * `fetch` would.
 */
export async function deliver(
  { key, askedAt, madeAt, outcome: earlier, repeatable, send }: OutgoingRequest,
  signal: AbortSignal,
  circuit: Circuit,
  report: OnProgress,
  // The global one is looked up at each call: pages and tests replace it.
  { fetch: single = fetch, attempts = 10, backoff, ...limits }: DeliveryOptions,
): Promise<Response> {
  const [left, outOfTime, attemptTimeout] = timeLimit(askedAt, madeAt, limits);
  let attempt = 0;
  let outcome = earlier;
  let response: Response | undefined;
  let retryAfter: number | undefined;
  let cause: unknown;
  const finish = (answer: Response): Response => {
    report({ kind: 'settled', attempt, response: answer });
    return answer;
  };
  const giveUp = (problem: DeliveryProblem): Response => {
    if (!key && response && !cause && problem !== 'aborted') return finish(response);
    const details = { attempts: attempt, key, response, retryAfter };
    const error = new DeliveryError(problem, outcome, signal.reason ?? cause, details);
    report({ kind: 'gave-up', error });
    throw error;
  };

  if (circuit.hold() > 0) return giveUp('circuit-open');
  while (!signal.aborted) {
    // Also after a pause, which the computer may have slept through.
    if (left() <= 0) return giveUp(outOfTime);
    attempt++;
    report({ kind: 'attempt', attempt, key });
    circuit.sent();
    // An earlier call with a kept key counts: this one is a retry from the start.
    const count = earlier === 'none' ? attempt : attempt + 1;
    const once = (both: AbortSignal): Promise<Response> => send(single, count, both);
    const time = min(attemptTimeout, left());
    const [answer, judgement, effect, fault] = await makeAttempt(once, !!key, repeatable, signal, time);
    if (!signal.aborted) circuit.ended(isDown(answer));
    // An answer without an effect does not say what an earlier attempt did.
    if (answer && judgement === 'settled' && (outcome === 'none' || effect !== 'none')) return finish(answer);
    // A last word that was heard once stays the one to show, and an effect that was possible stays possible.
    if (outcome !== 'known') response = answer ?? response;
    if (outcome === 'none' || effect === 'known') outcome = effect;
    cause = fault;
    retryAfter = answer && readRetryAfter(answer.headers, Date.now());
    if (signal.aborted) break;
    if (judgement !== 'again' || !repeatable) return giveUp('not-retryable');
    if (attempt >= attempts) return giveUp('attempts');
    let pause = pauseBefore(attempt - 1, Math.random(), max(retryAfter ?? 0, circuit.hold()), backoff);
    // Somebody else's attempt may have opened the circuit again meanwhile.
    for (; pause >= 0 && !signal.aborted; pause = circuit.hold()) {
      if (pause >= left()) return giveUp(outOfTime);
      report({ kind: 'retry', attempt, pause, response: answer });
      await within(pause, signal, () => new Promise(() => {})).catch(() => {});
    }
  }
  return giveUp('aborted');
}
