import type { Decision } from '../protocol/decide.ts';
import { SemelError } from '../protocol/problems.ts';
import type { CompletedRecord } from '../protocol/record.ts';
import type { StoredReply } from '../protocol/reply.ts';
import type { RunningAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import { openReply } from './keep-reply.ts';

/** How a keyed request ends: with a reply, first or replayed, or with a problem that is not stored. */
export type Answer = {
  readonly operationId: string;
  /** Which of the client's preferences was honoured (R18). */
  readonly preferenceApplied?: string;
} & (
  | { readonly kind: 'reply'; readonly reply: StoredReply; readonly replayed: boolean }
  | { readonly kind: 'problem'; readonly problem: SemelError }
);

/**
 * May this caller see the reply about this resource now? Asked before a stored reply is shown, and not on a first run
 * (R4).
 *
 * @param resource what the plan named, as `charge_7`
 * @param operation the operation's name, for whoever decides about several
 */
export type Authorize = (caller: string, resource: string | undefined, operation: string) => boolean | Promise<boolean>;

/** A reply that cannot be decrypted now is a problem of its own operation, and not a reason to run. */
async function answerKept(
  engine: Engine,
  { record, reply }: Extract<Decision, { kind: 'replay' | 'completed-by-us' }>,
  replayed: boolean,
): Promise<Answer> {
  const { operationId } = record;
  try {
    return { kind: 'reply', reply: await openReply(engine, record, reply), replayed, operationId };
  } catch (thrown) {
    if (thrown instanceof SemelError) return answerProblem(thrown, operationId);
    throw thrown;
  }
}

export const answerProblem = (problem: SemelError, operationId: string): Answer => ({
  kind: 'problem',
  problem,
  operationId,
});

/**
 * Asks whether a stored reply may be shown, on whichever way it is asked for.
 *
 * @rule R4
 * @returns what to answer instead; undefined when it may
 */
export async function refuseToShow(
  caller: string,
  { resource, operation, operationId }: CompletedRecord,
  authorize: Authorize | undefined,
): Promise<SemelError | undefined> {
  if (authorize === undefined || (await authorize(caller, resource, operation))) return undefined;
  return new SemelError('forbidden', 'This caller may no longer see the reply.', { operationId });
}

type Settled = Extract<
  Decision,
  { kind: 'replay' | 'completed-by-us' | 'reply-not-kept' | 'mismatch' | 'in-flight' | 'needs-attention' }
>;

/**
 * The answer that a record in its way dictates, the same in both modes; what is left to the mode (run, replace, take
 * over) is not a Settled decision.
 *
 * @rule R4
 * @rule R17
 */
export async function answerFromRecord(
  engine: Engine,
  attempt: RunningAttempt,
  decision: Settled,
  authorize: Authorize | undefined,
): Promise<Answer> {
  const { record } = decision;
  const problem = (error: SemelError) => answerProblem(error, record.operationId);
  switch (decision.kind) {
    case 'completed-by-us':
      return answerKept(engine, decision, false);
    case 'replay':
    case 'reply-not-kept': {
      const refused = await refuseToShow(attempt.caller, decision.record, authorize);
      if (refused !== undefined) return problem(refused);
      engine.count('replayed', attempt.operation);
      if (decision.kind === 'replay') return answerKept(engine, decision, true);
      return problem(new SemelError('reply-not-kept', whyNotKept(decision.record)));
    }
    case 'mismatch':
      engine.count('mismatch', attempt.operation);
      return problem(
        new SemelError(
          'idempotency-key-reused',
          'This Idempotency-Key belongs to a request with another method, path, query or body. Use a new key for a new intent.',
        ),
      );
    case 'in-flight':
      engine.count('in-flight', attempt.operation);
      return problem(
        new SemelError('request-in-flight', 'The first request with this key is still running. Send it again later.', {
          retryAfter: decision.retryAfter,
        }),
      );
    case 'needs-attention':
      return problem(needsAttention());
  }
}

/** What the client hears of an operation that waits for a person; the cause is for the logs. */
export const needsAttention = (cause?: unknown): SemelError =>
  new SemelError('needs-attention', 'The outcome of this operation is being looked into by a person.', { cause });

const whyNotKept = ({ replyHead }: CompletedRecord): string =>
  replyHead === undefined
    ? 'The operation was done once; only its reply was too large to keep.'
    : `The operation was done once and answered ${replyHead.status}; the body of that reply is not kept.`;
