/**
 * What is known about the effect of a request that ended in an error.
 * `none`: nothing happened. `unknown`: it may have happened; keep the key and ask again with it.
 * `known`: the server gave its last word, whose status is at hand, and only its body was lost on the way.
 */
export type Outcome = 'none' | 'unknown' | 'known';

/** Why no (further) attempt was made. */
export type DeliveryProblem =
  /** The caller's signal. */
  | 'aborted'
  /** The time that the call was given is over, or would be before the server wants to be asked again. */
  | 'deadline'
  /** The number of attempts. */
  | 'attempts'
  /** Too many failures in a row at this origin; nothing was sent. */
  | 'circuit-open'
  /** The server may keep the key's answer no longer, so one more attempt might run again. */
  | 'key-expired'
  /** A request that must not be repeated failed, or the server said that repeating does not help. */
  | 'not-retryable'
  /** No key could be read or kept in time, or the kept one is damaged, so nothing was sent. */
  | 'storage';

interface DeliveryDetails {
  /** How many attempts this call made. */
  readonly attempts: number;
  readonly key?: string | undefined;
  /** The last answer, if there was one. Its body may be read, unless `outcome` is `known` or the caller aborted. */
  readonly response?: Response | undefined;
  /** When the server wants to be asked again, in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** The message in order that was refused for good, and dropped; it may be an earlier one than the one just given. */
  readonly dropped?: object | undefined;
}

// The constructor assigns them all, so they are members.
export interface DeliveryError extends DeliveryDetails {
  readonly problem: DeliveryProblem;
  readonly outcome: Outcome;
}

/**
 * A request ended without an answer that settles it.
 *
 * Its name is `AbortError` when the caller aborted, as `fetch` has it.
 *
 * @example
 * try {
 *   await pay('/charges', { method: 'POST', body });
 * } catch (error) {
 *   if (error instanceof DeliveryError && error.outcome === 'unknown') showPending(error.operation);
 * }
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: listing each member twice more is what this saves the bundle
export class DeliveryError extends Error {
  constructor(problem: DeliveryProblem, outcome: Outcome, cause: unknown, details?: DeliveryDetails) {
    super(`${problem}, outcome ${outcome}`, { cause });
    this.name = problem === 'aborted' ? 'AbortError' : 'DeliveryError';
    Object.assign(this, { problem, outcome, attempts: 0, ...details });
  }

  /** The server's id of the operation; `GET /operations/{id}` tells how it went. */
  get operation(): string | undefined {
    return this.response?.headers.get('operation-id') ?? undefined;
  }
}
