import type { Fault } from './faults.ts';

/** One run of a function, from the event to its answer. */
export interface Invocation {
  /** Lambda's request id (`awsRequestId`). */
  readonly id: string;
  /** The id of the HTTP request that caused it; null when something else did. */
  readonly request: string | null;
  readonly faults: readonly Fault[];
  /** How many requests to AWS it has made. */
  awsCalls: number;
}

/** How an invocation ended. */
export type Outcome =
  | { readonly kind: 'returned' /** JSON, as Lambda's runtime sends it. */; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: InvocationError }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'crashed' };

/** What a handler threw, or why it could not be loaded. */
export interface InvocationError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}
