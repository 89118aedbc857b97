import { makeAttempt } from './attempt.ts';
import type { Circuit } from './circuit.ts';
import { DeliveryError, type DeliveryProblem } from './delivery-error.ts';
import type { KeptKey } from './intent-keys.ts';
import { isAboutCaller, isProblem } from './judge-answer.ts';
import type { Fetch, OutgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';
import { pauseBefore, readRetryAfter } from './retry-pause.ts';

/** All durations in milliseconds. */
export interface Delivery {
  readonly fetch: Fetch;
  readonly attempts: number;
  readonly attemptTimeout: number;
  readonly deadline: number;
  readonly retention: number;
  readonly backoff: { readonly base: number; readonly cap: number };
  readonly circuitOf: (origin: string) => Circuit;
  readonly report: OnProgress;
}

const { now } = Date;

/**
 * Sends a request until its answer settles it, or until it must not, cannot or need not be sent again.
 *
 * @rule R40
 * @throws DeliveryError where no answer settles it. Without a key, an answer that settles nothing is returned, as
 * `fetch` would.
 */
export async function deliver(
  { key, repeatable, origin, send }: OutgoingRequest,
  { madeAt, outcome: earlier }: Omit<KeptKey, 'key'>,
  signal: AbortSignal,
  { fetch, attempts, attemptTimeout, deadline, retention, backoff, circuitOf, report }: Delivery,
): Promise<Response> {
  const circuit = circuitOf(origin);
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
    const error = new DeliveryError(
      { problem, outcome, attempts: attempt, key, response, retryAfter },
      signal.reason ?? cause,
    );
    report({ kind: 'gave-up', error });
    throw error;
  };

  // The server counts retention from completion, which is later; but what is sent in time may take its time to arrive.
  const keyEnd = madeAt + retention - attemptTimeout;
  const end = Math.min(now() + deadline, keyEnd);
  const outOfTime = end === keyEnd ? 'key-expired' : 'deadline';
  if (now() >= end) return giveUp(outOfTime);
  if (circuit.hold()) return giveUp('circuit-open');
  while (!signal.aborted) {
    attempt += 1;
    report({ kind: 'attempt', attempt, key });
    circuit.sent();
    // An earlier call with a kept key counts: this one is a retry from the start.
    const number = earlier === 'none' ? attempt : attempt + 1;
    const once = (both: AbortSignal): Promise<Response> => send(fetch, number, both);
    const time = Math.min(attemptTimeout, end - now());
    const { answer, judgement, ...attempted } = await makeAttempt(once, !!key, signal, time);
    // What the service itself explains is no sign that it is down.
    if (!signal.aborted) circuit.ended(!answer || (answer.status >= 500 && !isProblem(answer)));
    if (judgement === 'settled' && answer && !(key && outcome !== 'none' && isAboutCaller(answer)))
      return finish(answer);
    // A last word that was heard once stays the one to show, and an effect that was possible stays possible.
    if (outcome !== 'known') response = answer;
    if (outcome === 'none' || attempted.outcome === 'known') outcome = attempted.outcome;
    cause = attempted.failure;
    retryAfter = answer && readRetryAfter(answer.headers, now());
    if (signal.aborted) break;
    if (judgement !== 'again' || !repeatable) return giveUp('not-retryable');
    if (attempt >= attempts) return giveUp('attempts');
    const pause = Math.max(pauseBefore(attempt - 1, Math.random(), retryAfter, backoff), circuit.hold());
    if (now() + pause >= end) return giveUp(outOfTime);
    report({ kind: 'retry', attempt, pause, response: answer });
    await sleep(pause, signal);
  }
  return giveUp('aborted');
}

/** Ends early when the caller aborts. */
const sleep = (duration: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, duration);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
