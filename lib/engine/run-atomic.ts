import { fullJitter } from '../protocol/backoff.ts';
import { isPlan, isRefusal, type Plan, type Planned, refusalThrown } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { type StoredBody, serializeReply } from '../protocol/reply.ts';
import { milliseconds, type Seconds } from '../protocol/time.ts';
import { startCondition } from '../store/record-condition.ts';
import { transact } from '../store/transact.ts';
import { type Answer, type Authorize, answerFromRecord } from './answer.ts';
import type { RunningAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import { keeping } from './keep-reply.ts';
import {
  type Again,
  answerThrown,
  answerWithoutEffects,
  completeNow,
  decideNow,
  firstReply,
  type KeyedRun,
  keepable,
  readFirst,
} from './keyed-run.ts';
import { isOwnCompletion } from './own-completion.ts';
import { persist } from './persist.ts';

/** What an atomic operation does: it reads, and returns a plan. It may run more than once: `round` counts from 1. */
export interface AtomicOperation {
  /** How long the reply is replayed (R23). */
  readonly retention: Seconds;
  /** How the reply's body is kept (R17, R20). @default 'whole' */
  readonly storedBody?: StoredBody;
  /** @throws SemelError for a "no" by its code; problems.ts says whether it is final */
  readonly run: (round: number) => Planned | Promise<Planned>;
  readonly authorize?: Authorize;
}

interface AtomicRun extends KeyedRun {
  readonly plan: AtomicOperation['run'];
}

type Step = Answer | Again;

/** A plan that loses its own conditions this often in a row is not planning on what it read. */
const MOST_ROUNDS = 8;

/**
 * Runs an operation whose effects are all in DynamoDB: one TransactWriteItems puts the record, if there is none, and
 * applies every effect. There is no in-flight state, so nothing can be stuck; a crash anywhere leaves all or nothing.
 *
 * @rule R8
 * @rule R9
 */
export async function runAtomic(engine: Engine, attempt: RunningAttempt, operation: AtomicOperation): Promise<Answer> {
  const { retention, storedBody, authorize, run: plan } = operation;
  const keep = keeping(engine, storedBody, attempt);
  const run: AtomicRun = { engine, attempt, retention, keep, authorize, plan };
  try {
    return await goRound(run);
  } catch (thrown) {
    return answerThrown<Answer>(run, thrown, (record) => meet(run, record));
  }
}

async function goRound(run: AtomicRun): Promise<Answer> {
  const { surroundings } = run.engine;
  let step: Step = { kind: 'again', replaces: undefined };
  if (run.attempt.hinted) step = await readFirst<Answer>(run, (record) => meet(run, record));
  for (let round = 1; step.kind === 'again'; round++) {
    if (round > MOST_ROUNDS) throw tooManyRounds();
    if (round > 1) await surroundings.sleep(fullJitter(round, surroundings.random()));
    step = await planAndCommit(run, round, step.replaces);
  }
  return step;
}

async function planAndCommit(run: AtomicRun, round: number, replaces: string | undefined): Promise<Step> {
  const planned = await plan(run, round).catch(refusalThrown);
  if (isRefusal(planned) || !isPlan(planned)) return withoutEffects(run, planned, 'new', replaces);
  if (planned.effects.length === 0) return withoutEffects(run, planned.reply, 'new', replaces);
  return commit(run, planned, replaces);
}

/** Async, so that what the handler throws at once is a rejection like what it throws later. */
const plan = async (run: AtomicRun, round: number): Promise<Planned> => run.plan(round);

async function commit(run: AtomicRun, wanted: Plan, replaces: string | undefined): Promise<Step> {
  const { engine, attempt } = run;
  const reply = keepable(serializeReply(wanted.reply));
  const keep = await run.keep();
  const record = completeNow(run, await keep(reply), wanted.reply.resource);
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    transact(engine.store, record, startCondition(replaces), wanted.effects, signal),
  );
  switch (outcome.kind) {
    case 'written':
      return firstReply(run, reply, 'new', replaces);
    case 'met':
      if (isOwnCompletion(outcome.record, record)) return firstReply(run, reply, 'new', replaces);
      return meet(run, outcome.record);
    case 'effect-refused': {
      const no = wanted.effects[outcome.index]?.refuse?.(outcome.old);
      return no === undefined ? { kind: 'again', replaces } : withoutEffects(run, no, 'refused', replaces);
    }
  }
}

const withoutEffects = (
  run: AtomicRun,
  planned: Exclude<Planned, Plan>,
  counter: 'new' | 'refused',
  replaces: string | undefined,
) => answerWithoutEffects<Answer>(run, planned, counter, replaces, (record) => meet(run, record));

/** What the record in the way means for an atomic operation. */
async function meet(run: AtomicRun, record: IdempotencyRecord | undefined): Promise<Step> {
  const { engine, attempt, authorize } = run;
  const decision = decideNow(run, record);
  switch (decision.kind) {
    case 'run':
      return { kind: 'again', replaces: undefined };
    case 'replace-expired':
      return { kind: 'again', replaces: decision.record.ownerToken };
    case 'claimed-by-us':
    case 'take-over': {
      // Written when this operation was leased, by an earlier deployment: the reconciler finishes it.
      const retryAfter = milliseconds(5_000);
      return answerFromRecord(engine, attempt, { kind: 'in-flight', record: decision.record, retryAfter }, authorize);
    }
    default:
      return answerFromRecord(engine, attempt, decision, authorize);
  }
}

const tooManyRounds = () =>
  new SemelError('too-many-conflicts', 'Other requests kept changing what this one read. Send it again.', {
    retryAfter: 1_000,
  });
