import type { DeliveryProblem } from './delivery-error.ts';
import { min } from './globals.ts';
import { DEADLINE, now } from './time.ts';

/** All in milliseconds. */
export interface TimeLimits {
  /** How long one attempt may take; less than `retention`. @default 10_000 */
  readonly attemptTimeout?: number | undefined;
  /** How long a call may take, with its pauses and the wait for the storage. @default 60_000 */
  readonly deadline?: number | undefined;
  /**
   * How long the server keeps a key's answer, as it publishes it; no attempt is made with an older key. The server
   * counts it from completion, which is later; but what is sent in time may take its time to arrive.
   *
   * @default 24 h
   */
  readonly retention?: number | undefined;
}

/**
 * Until when a call may go on, by both clocks.
 *
 * @rule R40
 * @param askedAt when the call began, in milliseconds since the epoch
 * @param madeAt when its key was made, the same; now, if it is the request's own or none
 * @returns how much time is left, in milliseconds; what is over when none is; and how long one attempt may take
 */
export function timeLimit(
  askedAt: number,
  madeAt = Date.now(),
  // The protocol's CLIENT_RETRY_HORIZON, which endpoints are held to; written out, since its module is not worth its bytes.
  { attemptTimeout = 10_000, deadline = DEADLINE, retention = 86_400_000 }: TimeLimits,
): [left: () => number, outOfTime: DeliveryProblem, attemptTimeout: number] {
  const start = Date.now();
  // A key from the future was made by a clock that was ahead, so its age is not known.
  const keyEnd = madeAt > start ? 0 : madeAt - attemptTimeout + retention;
  // The clock may have been set back since it was asked for.
  const end = min(askedAt + deadline, start + deadline, keyEnd);
  const steadyEnd = now() + end - start;
  const left = (): number => min(end - Date.now(), steadyEnd - now());
  return [left, end === keyEnd ? 'key-expired' : 'deadline', attemptTimeout];
}
