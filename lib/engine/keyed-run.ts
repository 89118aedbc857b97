import { type Decision, decide } from '../protocol/decide.ts';
import { isFinalStatus } from '../protocol/outcomes.ts';
import { isRefusal, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { isStored, problemReply } from '../protocol/problem-reply.ts';
import { SemelError } from '../protocol/problems.ts';
import type { CompletedRecord, IdempotencyRecord } from '../protocol/record.ts';
import { MAX_REPLY_BYTES, replySize, type StoredReply, serializeReply, withinReplyLimit } from '../protocol/reply.ts';
import { type Milliseconds, milliseconds, type Seconds } from '../protocol/time.ts';
import { putRecord } from '../store/put-record.ts';
import { lookAtRecord, readRecord } from '../store/read-record.ts';
import { startCondition } from '../store/record-condition.ts';
import { type Answer, type Authorize, answerProblem } from './answer.ts';
import type { RunningAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import type { KeepReply, KeptReply } from './keep-reply.ts';
import { completedRecord, firstRecord } from './new-record.ts';
import { isOwnCompletion } from './own-completion.ts';
import { persist } from './persist.ts';

/** One request going through one keyed operation: what both modes have in common. */
export interface KeyedRun {
  readonly engine: Engine;
  readonly attempt: RunningAttempt;
  /** How long the reply is replayed (R23). */
  readonly retention: Seconds;
  /** Obtains, once, what it takes to keep this operation's reply (R20). */
  readonly keep: () => Promise<KeepReply>;
  readonly authorize: Authorize | undefined;
}

/** The mode's reading of a record in the way; `again` means that it is not. */
export type Meet<Step> = (record: IdempotencyRecord | undefined) => Promise<Step | Again>;

/** Around once more, over the expired record that was met. */
export interface Again {
  readonly kind: 'again';
  readonly replaces: string | undefined;
}

/** What a look before an unstored answer may cost when the request's own time is used up. */
const LAST_LOOK = 400;

/** Decides about a met record by the engine's clock. */
export const decideNow = ({ engine, attempt }: KeyedRun, record: IdempotencyRecord | undefined): Decision =>
  decide(record, attempt, engine.surroundings.now());

/**
 * A client that knows it is retrying is answered by a read: a replay then costs no failed write.
 *
 * @rule R24
 */
export async function readFirst<Step>({ engine, attempt }: KeyedRun, meet: Meet<Step>): Promise<Step | Again> {
  const { record } = await persist(engine.surroundings, attempt.deadline, (signal) =>
    readRecord(engine.store, attempt.pk, signal),
  );
  return meet(record);
}

/**
 * Makes a reply without effects final: by its own conditional write, or else the winner's reply stands. So a handler
 * that saw the first attempt's own effect ("insufficient funds") still ends in the first attempt's reply.
 *
 * @rule R16
 */
async function storeFinal<Step>(
  run: KeyedRun,
  final: { readonly reply: StoredReply; readonly counter: 'new' | 'refused'; readonly resource?: string | undefined },
  replaces: string | undefined,
  meet: Meet<Step>,
): Promise<Answer | Step | Again> {
  const { engine, attempt } = run;
  const keep = await run.keep();
  const record = completeNow(run, await keep(final.reply), final.resource);
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    putRecord(engine.store, record, startCondition(replaces), signal),
  );
  if (outcome.kind === 'met' && !isOwnCompletion(outcome.record, record)) return meet(outcome.record);
  return firstReply(run, final.reply, final.counter, replaces);
}

/** A refusal, or a reply that needs no effects: stored if it is final, else answered once no record is in the way. */
export async function answerWithoutEffects<Step>(
  run: KeyedRun,
  planned: ReplyDraft | Refusal,
  counter: 'new' | 'refused',
  replaces: string | undefined,
  meet: Meet<Step>,
): Promise<Answer | Step | Again> {
  if (isRefusal(planned))
    return storeFinal(run, { reply: refusalReply(run, planned), counter: 'refused' }, replaces, meet);
  const reply = keepable(serializeReply(planned));
  const { resource } = planned;
  if (isFinalStatus(planned.status)) return storeFinal(run, { reply, counter, resource }, replaces, meet);
  const met = await look(run, meet);
  return met ?? { kind: 'reply', reply, replayed: false, operationId: run.attempt.operationId };
}

/** The refusal's reply, when its code is a final one; else it is thrown, to be answered without being stored. */
function refusalReply({ attempt }: KeyedRun, { problem, detail }: Refusal): StoredReply {
  if (!isStored(problem)) throw new SemelError(problem, detail);
  return problemReply({ code: problem, detail, operationId: attempt.operationId });
}

export const completeNow = (run: KeyedRun, kept: KeptReply, resource: string | undefined): CompletedRecord =>
  completedRecord(firstRecord(run.attempt), {
    kept,
    resource,
    now: run.engine.surroundings.now(),
    retention: run.retention,
  });

export function firstReply(
  { engine, attempt }: KeyedRun,
  reply: StoredReply,
  counter: 'new' | 'refused',
  replaces?: string,
): Answer {
  engine.count(counter, attempt.operation);
  if (replaces !== undefined) engine.count('expired', attempt.operation);
  return { kind: 'reply', reply, replayed: false, operationId: attempt.operationId };
}

/**
 * Looks at the record before an answer that will not be stored: if one is there, it decides. Undefined: none is.
 *
 * @rule R15
 */
async function look<Step>(
  { engine, attempt }: KeyedRun,
  meet: Meet<Step>,
  deadline: Milliseconds = attempt.deadline,
): Promise<Step | undefined> {
  const { record } = await persist(engine.surroundings, deadline, (signal) =>
    lookAtRecord(engine.store, attempt.pk, signal),
  );
  const step = await meet(record);
  return isAgain(step) ? undefined : step;
}

/**
 * Answers what a run threw: by the record if there is one, else as the problem that it is.
 *
 * @rule R15
 */
export async function answerThrown<Step>(run: KeyedRun, thrown: unknown, meet: Meet<Step>): Promise<Step | Answer> {
  const { engine, attempt } = run;
  const problem = thrown instanceof SemelError ? thrown : faultOf(thrown);
  // The store did not answer a moment ago: a look would only add to the wait.
  if (problem.code === 'store-unavailable') return answerProblem(problem, attempt.operationId);
  const deadline = milliseconds(Math.max(attempt.deadline, engine.surroundings.now() + LAST_LOOK));
  const met = await look(run, meet, deadline).catch(() => undefined);
  return met ?? answerProblem(problem, attempt.operationId);
}

const faultOf = (cause: unknown): SemelError =>
  new SemelError('internal-error', 'The service failed. Nothing is known to be wrong with the request.', { cause });

/** @throws SemelError `reply-too-large`, before anything is written (R20) */
export function keepable(reply: StoredReply): StoredReply {
  if (withinReplyLimit(reply)) return reply;
  throw new SemelError(
    'reply-too-large',
    `The reply has ${replySize(reply)} bytes; ${MAX_REPLY_BYTES} are kept. Nothing was done: answer with less, or a link.`,
  );
}

const isAgain = (step: unknown): step is Again => (step as Again).kind === 'again';
