import { fullJitter } from '../protocol/backoff.ts';
import { isFinalStatus } from '../protocol/outcomes.ts';
import { type Effect, isPlan, isRefusal, type Planned, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { problemReply } from '../protocol/problem-reply.ts';
import { PROBLEMS, SemelError } from '../protocol/problems.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { MAX_REPLY_BYTES, replySize, type StoredReply, serializeReply } from '../protocol/reply.ts';
import { milliseconds, type Seconds } from '../protocol/time.ts';
import { putRecord } from '../store/put-record.ts';
import { lookAtRecord, readRecord } from '../store/read-record.ts';
import { startCondition } from '../store/record-condition.ts';
import { transact } from '../store/transact.ts';
import { type Answer, type Authorize, answerFromRecord, answerProblem, decideNow } from './answer.ts';
import { completedRecord, type RunningAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';

/** What an atomic operation does: it reads, and returns a plan. It may run more than once: `round` counts from 1. */
export interface AtomicOperation {
  /** How long the reply is replayed (R23). */
  readonly retention: Seconds;
  /** @throws SemelError for a "no" by its code; problems.ts says whether it is final */
  readonly run: (round: number) => Planned | Promise<Planned>;
  readonly authorize?: Authorize;
}

/** One request going through one operation. */
interface AtomicRun {
  readonly engine: Engine;
  readonly attempt: RunningAttempt;
  readonly operation: AtomicOperation;
}

/** Where one round leads: to the answer, or around again, over the expired record that was met. */
type Step = Answer | { readonly kind: 'again'; readonly replaces: string | undefined };

/** A plan that loses its own conditions this often in a row is not planning on what it read. */
const MOST_ROUNDS = 8;
/** What the look before an unstored answer may cost when the request's time is already used up. */
const LAST_LOOK = 400;

/**
 * Runs an operation whose effects are all in DynamoDB: one TransactWriteItems puts the record, if there is none, and
 * applies every effect. There is no in-flight state, so nothing can be stuck; a crash anywhere leaves all or nothing.
 *
 * @rule R8
 * @rule R9
 * @rule R15
 * @rule R16
 * @throws the fault itself when neither a retry nor a business answer explains it and no record decides
 */
export async function runAtomic(engine: Engine, attempt: RunningAttempt, operation: AtomicOperation): Promise<Answer> {
  const run = { engine, attempt, operation };
  try {
    let replaces: string | undefined;
    if (attempt.hinted) {
      const step = await readFirst(run);
      if (step.kind !== 'again') return step;
      replaces = step.replaces;
    }
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      if (round > 1) await engine.surroundings.sleep(fullJitter(round, engine.surroundings.random()));
      const step = await planAndCommit(run, round, replaces);
      if (step.kind !== 'again') return step;
      replaces = step.replaces;
    }
    throw new SemelError('too-many-conflicts', 'Other requests kept changing what this one read. Send it again.', {
      retryAfter: 1_000,
    });
  } catch (fault) {
    return lookBeforeAnswering(run, fault);
  }
}

/**
 * A client that knows it is retrying is answered by a read (R24): a replay then costs no failed transaction.
 *
 * @rule R24
 */
async function readFirst(run: AtomicRun): Promise<Step> {
  const { engine, attempt } = run;
  const { record } = await persist(engine.surroundings, attempt.deadline, (signal) =>
    readRecord(engine.store, attempt.pk, signal),
  );
  return meet(run, record);
}

async function planAndCommit(
  run: AtomicRun,
  round: number,
  replaces: string | undefined,
): Promise<Step> {
  const planned = await run.operation.run(round);
  if (isRefusal(planned)) return refuseFinally(run, planned, replaces);
  if (!isPlan(planned)) return storeReply(run, planned, replaces, 'new');
  if (planned.effects.length === 0) return storeReply(run, planned.reply, replaces, 'new');
  return commit(run, planned, replaces);
}

async function commit(
  run: AtomicRun,
  plan: { readonly effects: readonly Effect[]; readonly reply: ReplyDraft },
  replaces: string | undefined,
): Promise<Step> {
  const { engine, attempt, operation } = run;
  const reply = keepable(serializeReply(plan.reply));
  const record = completedRecord(attempt, reply, engine.surroundings.now(), operation.retention, plan.reply.resource);
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    transact(engine.store, record, startCondition(replaces), plan.effects, signal),
  );
  switch (outcome.kind) {
    case 'committed':
      return firstReply(run, reply, 'new', replaces);
    case 'met':
      return meet(run, outcome.record);
    case 'effect-refused': {
      const no = plan.effects[outcome.index]?.refuse?.(outcome.old);
      if (no === undefined) return { kind: 'again', replaces };
      return isRefusal(no)
        ? refuseFinally(run, no, replaces)
        : storeReply(run, no, replaces, 'refused');
    }
  }
}

/** A refusal is final only once its own conditional write succeeds; else the winner's reply stands (R16). */
function refuseFinally(
  run: AtomicRun,
  refusal: Refusal,
  replaces: string | undefined,
): Promise<Step> {
  if (!PROBLEMS[refusal.problem].stored) throw new SemelError(refusal.problem, refusal.detail);
  const reply = problemReply({
    code: refusal.problem,
    detail: refusal.detail,
    operationId: run.attempt.operationId,
  });
  return store(run, reply, replaces, 'refused', undefined);
}

async function storeReply(
  run: AtomicRun,
  draft: ReplyDraft,
  replaces: string | undefined,
  counter: 'new' | 'refused',
): Promise<Step> {
  const { attempt } = run;
  const reply = keepable(serializeReply(draft));
  if (isFinalStatus(draft.status)) {
    return store(run, reply, replaces, counter, draft.resource);
  }
  const met = await look(run, attempt.deadline);
  return met ?? { kind: 'reply', reply, replayed: false, operationId: attempt.operationId };
}

async function store(
  run: AtomicRun,
  reply: StoredReply,
  replaces: string | undefined,
  counter: 'new' | 'refused',
  resource: string | undefined,
): Promise<Step> {
  const { engine, attempt, operation } = run;
  const record = completedRecord(attempt, reply, engine.surroundings.now(), operation.retention, resource);
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    putRecord(engine.store, record, startCondition(replaces), signal),
  );
  if (outcome.kind === 'met') return meet(run, outcome.record);
  return firstReply(run, reply, counter, replaces);
}

function firstReply(
  { engine, attempt }: AtomicRun,
  reply: StoredReply,
  counter: 'new' | 'refused',
  replaces: string | undefined,
): Answer {
  engine.count(counter, attempt.operation);
  if (replaces !== undefined) engine.count('expired', attempt.operation);
  return { kind: 'reply', reply, replayed: false, operationId: attempt.operationId };
}

/**
 * What the record in the way means for an atomic operation.
 *
 * @rule R8
 */
async function meet(
  run: AtomicRun,
  record: IdempotencyRecord | undefined,
): Promise<Step> {
  const { engine, attempt, operation } = run;
  const decision = decideNow(engine, attempt, record);
  switch (decision.kind) {
    case 'run':
      return { kind: 'again', replaces: undefined };
    case 'replace-expired':
      return { kind: 'again', replaces: decision.record.ownerToken };
    case 'claimed-by-us':
    case 'take-over': {
      // Written when this operation was leased, by an earlier deployment: the reconciler finishes it.
      const retryAfter = milliseconds(5_000);
      return answerFromRecord(engine, attempt, { kind: 'in-flight', record: decision.record, retryAfter }, undefined);
    }
    default:
      return answerFromRecord(engine, attempt, decision, operation.authorize);
  }
}

/** The look that comes before any answer that is not stored (R15); undefined when no record is in the way. */
async function look(
  run: AtomicRun,
  deadline: RunningAttempt['deadline'],
): Promise<Answer | undefined> {
  const { engine, attempt } = run;
  const { record } = await persist(engine.surroundings, deadline, (signal) =>
    lookAtRecord(engine.store, attempt.pk, signal),
  );
  const step = await meet(run, record);
  return step.kind === 'again' ? undefined : step;
}

async function lookBeforeAnswering(
  run: AtomicRun,
  fault: unknown,
): Promise<Answer> {
  const { engine, attempt } = run;
  const problem = fault instanceof SemelError ? fault : undefined;
  // The store did not answer a moment ago: a look would only add to the wait.
  if (problem?.code === 'store-unavailable') return answerProblem(problem, attempt.operationId);
  const deadline = milliseconds(Math.max(attempt.deadline, engine.surroundings.now() + LAST_LOOK));
  const met = await look(run, deadline).catch(() => undefined);
  if (met !== undefined) return met;
  if (problem === undefined) throw fault;
  return answerProblem(problem, attempt.operationId);
}

/** @throws SemelError `reply-too-large`, before anything is written (R20) */
function keepable(reply: StoredReply): StoredReply {
  const size = replySize(reply);
  if (size <= MAX_REPLY_BYTES) return reply;
  throw new SemelError(
    'reply-too-large',
    `The reply has ${size} bytes; ${MAX_REPLY_BYTES} are kept. Nothing was done: answer with a smaller body or a link.`,
  );
}
