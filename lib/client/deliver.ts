import { makeAttempt } from './attempt.ts';
import type { Circuit } from './circuit.ts';
import { DeliveryError, type DeliveryProblem } from './delivery-error.ts';
import { isProblem } from './judge-answer.ts';
import type { Fetch, OutgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';
import { pauseBefore, readRetryAfter } from './retry-pause.ts';
import { now, within } from './time.ts';

/** All durations in milliseconds. */
export interface Delivery {
  readonly fetch: Fetch;
  readonly attempts: number;
  readonly attemptTimeout: number;
  readonly deadline: number;
  /** The server counts it from completion, which is later; but what is sent in time may take its time to arrive. */
  readonly retention: number;
  readonly backoff: { readonly base: number; readonly cap: number };
  readonly circuitOf: (origin: string) => Circuit;
  readonly report: OnProgress;
}

/**
 * Sends a request until its answer settles it, or until it must not, cannot or need not be sent again.
 *
 * @rule R40
 * @throws DeliveryError where no answer settles it. Without a key, an answer that settles nothing is returned, as
 * `fetch` would.
 */
export async function deliver(
  { key, askedAt, madeAt, outcome: earlier, repeatable, origin, send }: OutgoingRequest,
  signal: AbortSignal,
  { attemptTimeout, report, ...delivery }: Delivery,
): Promise<Response> {
  const circuit = delivery.circuitOf(origin);
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
    const details = { problem, outcome, attempts: attempt, key, response, retryAfter };
    const error = new DeliveryError(details, signal.reason ?? cause);
    report({ kind: 'gave-up', error });
    throw error;
  };
  const start = Date.now();
  // A key from the future was made by a clock that was ahead, so its age is not known.
  const keyEnd = madeAt > start ? 0 : madeAt - attemptTimeout + delivery.retention;
  // It starts with the earlier time: the clock may have been set back since.
  const end = Math.min(Math.min(askedAt, start) + delivery.deadline, keyEnd);
  const outOfTime = end === keyEnd ? 'key-expired' : 'deadline';
  const steadyEnd = now() + end - start;
  const left = (): number => Math.min(end - Date.now(), steadyEnd - now());
  if (left() <= 0) return giveUp(outOfTime);
  if (circuit.hold() > 0) return giveUp('circuit-open');
  while (!signal.aborted) {
    attempt += 1;
    report({ kind: 'attempt', attempt, key });
    circuit.sent();
    // An earlier call with a kept key counts: this one is a retry from the start.
    const count = earlier === 'none' ? attempt : attempt + 1;
    const once = (both: AbortSignal): Promise<Response> => send(delivery.fetch, count, both);
    const [answer, judgement, effect, fault] = await makeAttempt(once, !!key, signal, Math.min(attemptTimeout, left()));
    // What the service itself explains is no sign that it is down.
    if (!signal.aborted) circuit.ended(!answer || (answer.status >= 500 && !isProblem(answer)));
    // Who asks is looked at before the key (R4), so a 401 or 403 does not say what an earlier attempt did.
    const settled = answer && judgement === 'settled' && (outcome === 'none' || ![401, 403].includes(answer.status));
    if (settled) return finish(answer);
    // A last word that was heard once stays the one to show, and an effect that was possible stays possible.
    if (outcome !== 'known') response = answer;
    if (outcome === 'none' || effect === 'known') outcome = effect;
    cause = fault;
    retryAfter = answer && readRetryAfter(answer.headers, Date.now());
    if (signal.aborted) break;
    if (judgement !== 'again' || !repeatable) return giveUp('not-retryable');
    if (attempt >= delivery.attempts) return giveUp('attempts');
    const pause = Math.max(pauseBefore(attempt - 1, Math.random(), retryAfter, delivery.backoff), circuit.hold());
    if (pause >= left()) return giveUp(outOfTime);
    report({ kind: 'retry', attempt, pause, response: answer });
    await within(pause, signal, () => new Promise(() => {})).catch(() => {});
  }
  return giveUp('aborted');
}
