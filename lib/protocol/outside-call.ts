import type { ReplyDraft } from './plan.ts';
import type { SemelError } from './problems.ts';

/**
 * How a call outside DynamoDB ended. Every handler must say which: a timeout, a reset, a 5xx, "in progress" or any throw
 * after the call began is `unknown`, and never stored as final.
 */
export type Outcome<Result, Reason> =
  | { readonly kind: 'succeeded'; readonly result: Result }
  /** A definitive no: nothing was done, and nothing will be. */
  | { readonly kind: 'declined'; readonly reason: Reason }
  | { readonly kind: 'unknown'; readonly cause?: unknown }
  /**
   * The call certainly did not begin: this is answered, but not stored (R14). On a first attempt that holds nothing, the
   * key is freed and any answer will do. Where something is held, a reservation, a phase, what an earlier attempt may
   * have done, the operation goes on without its client, so only an answer that says "later" (a retryable problem, 429)
   * is passed on; any other counts as an unknown outcome. A final no belongs into `reserve`, or is `declined`, which
   * gives back what was held.
   */
  | { readonly kind: 'not-begun'; readonly answer: SemelError | ReplyDraft };

/** What a look-up at the other side found. `not-found` never means failed: the call may still be on its way. */
export type Found<Result, Reason> = Outcome<Result, Reason> | { readonly kind: 'not-found' };

export const succeeded = <Result>(result: Result) => ({ kind: 'succeeded', result }) as const;
export const declined = <Reason>(reason: Reason) => ({ kind: 'declined', reason }) as const;
export const unknown = (cause?: unknown) => ({ kind: 'unknown', cause }) as const;
export const notBegun = (answer: SemelError | ReplyDraft) => ({ kind: 'not-begun', answer }) as const;
