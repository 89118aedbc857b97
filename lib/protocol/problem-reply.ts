import { isFinalStatus } from './outcomes.ts';
import type { ReplyDraft } from './plan.ts';
import { PROBLEMS, type ProblemCode, SemelError } from './problems.ts';
import type { StoredReply } from './reply.ts';

/** One problem as it happened; `errors` says what is wrong input by input. */
interface ProblemOccurrence {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly operationId?: string | undefined;
  readonly errors?: SemelError['errors'];
}

/**
 * Writes a problem as RFC 9457 `application/problem+json`.
 *
 * @rule R19
 * @see https://www.rfc-editor.org/rfc/rfc9457
 * @example problemReply({ code: 'card-declined', detail: 'The bank said no.' }).body
 * // '{"type":"/problems/card-declined","title":"The card was declined","status":402,"detail":"The bank said no.","retryable":false}'
 */
export function problemReply({ code, detail, operationId, errors }: ProblemOccurrence): StoredReply {
  const { title, status, retryable } = PROBLEMS[code];
  const problem = { type: `/problems/${code}`, title, status, detail, retryable, operation: operationId, errors };
  return { status, headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(problem) };
}

/** A problem of one's own, with a code that is not in PROBLEMS. */
interface OwnProblem {
  /** Lower-case words with hyphens, for programs to tell it by. @example 'seat-taken' */
  readonly code: string;
  /** From 400 to 599. */
  readonly status: number;
  /** The same each time. */
  readonly title: string;
  /** What went wrong this time. */
  readonly detail: string;
  /** May the same request, sent again, end differently? Not where the status is stored and replayed. @default false */
  readonly retryable?: boolean;
  /** Where the problem is explained. @default '/problems/<code>' */
  readonly type?: string;
}

/**
 * Writes a problem of one's own like those of this library, to be returned by a handler or refused with by an effect.
 * Whether it is final goes by its status.
 *
 * @rule R19
 * @throws SemelError `internal-error` for another status, and for a retry that could only be answered with a replay
 * @example ownProblem({ code: 'seat-taken', status: 409, title: 'The seat is taken', detail: 'Seat 7 is sold.' })
 */
export function ownProblem({ code, status, title, detail, retryable = false, type }: OwnProblem): ReplyDraft {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new SemelError(
      'internal-error',
      `The problem ${code} has the status ${status}: a problem's is a whole number from 400 to 599.`,
    );
  }
  if (retryable && isFinalStatus(status)) {
    throw new SemelError(
      'internal-error',
      `The problem ${code} is retryable, but a ${status} is stored and replayed: leave retryable out, or answer with a status that is never stored, such as 429 or 503.`,
    );
  }
  return {
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: { type: type ?? `/problems/${code}`, title, status, detail, retryable },
  };
}

/**
 * Is this problem its key's final answer, stored and replayed?
 *
 * @rule R15
 * @rule R16
 * @example isStored('card-declined') // true
 */
export const isStored = (code: ProblemCode): boolean => PROBLEMS[code].stored;

/** `Retry-After` in whole seconds: rounded up, so that nobody comes too early. @example retryAfterSeconds(1_001) // '2' */
export const retryAfterSeconds = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / 1_000)));
