import { fullJitter } from '../protocol/backoff.ts';
import type { Decision } from '../protocol/decide.ts';
import type { LeasedOperation, Phase, Reservation } from '../protocol/leased-operation.ts';
import { refusalThrown } from '../protocol/plan.ts';
import type { Preference } from '../protocol/prefer.ts';
import { SemelError } from '../protocol/problems.ts';
import type { IdempotencyRecord, InProgressRecord } from '../protocol/record.ts';
import { milliseconds } from '../protocol/time.ts';
import { putRecord } from '../store/put-record.ts';
import { ifStill, startCondition } from '../store/record-condition.ts';
import { writeRecord } from '../store/write-record.ts';
import { type Answer, type Authorize, answerFromRecord, answerProblem } from './answer.ts';
import type { RunningAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import { type Ending, finishHeld } from './finish-held.ts';
import { HeldRecord } from './held-record.ts';
import { keeping } from './keep-reply.ts';
import { type Again, answerThrown, answerWithoutEffects, decideNow, type KeyedRun, readFirst } from './keyed-run.ts';
import { claimedRecord, takenOverRecord } from './new-record.ts';
import { persist } from './persist.ts';
import { persistentReader } from './persistent-reader.ts';
import { answerDuplicate } from './wait-for-winner.ts';

/** What a leased request asks for, beside its key. */
export interface LeasedRequest {
  readonly operation: LeasedOperation;
  /** The smallest request from which the operation can be finished without its client. */
  readonly intent: () => unknown;
  readonly prefer: Preference;
  readonly authorize?: Authorize;
}

interface LeasedRun extends KeyedRun {
  readonly request: LeasedRequest;
}

type InFlight = Extract<Decision, { kind: 'in-flight' }>;

/** Where one round leads. */
type Step =
  | Answer
  | Again
  | InFlight
  | { readonly kind: 'take-over'; readonly record: InProgressRecord }
  | { readonly kind: 'held'; readonly record: InProgressRecord; readonly reserved: boolean };

/** Each round follows a change of the record by somebody else; this many within one request are not a race any more. */
const MOST_ROUNDS = 16;

/**
 * Runs an operation whose effects leave DynamoDB: claim the key (with the reservation), call outside under the operation
 * id, then book the outcome and the reply in one fenced write. Whoever finds the lease lapsed takes over where it stands.
 *
 * @rule R9
 * @rule R11
 */
export async function runLeased(engine: Engine, attempt: RunningAttempt, request: LeasedRequest): Promise<Answer> {
  const { retention, storedBody } = request.operation;
  const keep = keeping(engine, storedBody, attempt);
  const run: LeasedRun = { engine, attempt, retention, keep, authorize: request.authorize, request };
  try {
    return await goRounds(run);
  } catch (thrown) {
    return answerThrown<Answer>(run, thrown, (record) => meetFinally(run, record));
  }
}

async function goRounds(run: LeasedRun): Promise<Answer> {
  const { surroundings } = run.engine;
  let step: Step = { kind: 'again', replaces: undefined };
  if (run.attempt.hinted) step = await readFirst<Step>(run, (record) => meet(run, record));
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (step.kind === 'reply' || step.kind === 'problem') return step;
    // Once is a lost race and goes on at once; more is contention. What is held waits for nobody.
    const contended = round > 2 && step.kind !== 'held' && step.kind !== 'in-flight';
    if (contended) await surroundings.sleep(fullJitter(round, surroundings.random()));
    step = await goOn(run, step, round);
  }
  throw new SemelError('too-many-conflicts', 'Other requests kept taking this operation. Send it again.', {
    retryAfter: 1_000,
  });
}

function goOn(run: LeasedRun, step: Exclude<Step, Answer>, round: number): Promise<Step> {
  switch (step.kind) {
    case 'again':
      return claim(run, round, step.replaces);
    case 'take-over':
      return takeOver(run, step.record);
    case 'held':
      return finish(run, step.record, step.reserved);
    case 'in-flight':
      return answerDuplicate(run, step, run.request.prefer, (record) => meet(run, record));
  }
}

/** Claims the key; what `reserve` wants is held in the same transaction. */
async function claim(run: LeasedRun, round: number, replaces: string | undefined): Promise<Step> {
  const { engine, attempt, request } = run;
  const intent = request.intent();
  const reservation = await reserve(run, intent, round).catch(refusalThrown);
  if (!('effects' in reservation)) return withoutEffects(run, reservation, replaces);
  const { effects } = reservation;
  // Before anything is held: a claim that could not keep its reply would only have to be given up again.
  await run.keep();
  const record = claimedRecord(attempt, intent, engine.surroundings.now());
  const condition = startCondition(replaces);
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    writeRecord(engine.store, record, condition, effects, signal),
  );
  switch (outcome.kind) {
    case 'met':
      return meet(run, outcome.record);
    case 'effect-refused': {
      const no = effects[outcome.index]?.refuse?.(outcome.old);
      return no === undefined ? { kind: 'again', replaces } : withoutEffects(run, no, replaces);
    }
    case 'written':
      if (replaces !== undefined) engine.count('expired', attempt.operation);
      return { kind: 'held', record, reserved: effects.length > 0 };
  }
}

const reserve = async (run: LeasedRun, intent: unknown, round: number): Promise<Reservation> =>
  (await run.request.operation.reserve?.(firstPhase(run, intent), round)) ?? { effects: [] };

const withoutEffects = (
  run: LeasedRun,
  planned: Parameters<typeof answerWithoutEffects>[1],
  replaces: string | undefined,
): Promise<Step> => answerWithoutEffects<Step>(run, planned, 'refused', replaces, (record) => meet(run, record));

function firstPhase({ engine, attempt }: LeasedRun, intent: unknown): Phase<unknown> {
  const { caller, operationId: id, uuid, startedAt: now } = attempt;
  const read = persistentReader(engine, attempt.deadline);
  return { intent, caller, operation: { id, uuid, now, attempt: 1 }, read };
}

/**
 * Takes over from an attempt whose lease has lapsed: compare-and-set on what was seen, so of two one wins and the other
 * learns from the same call what to do.
 *
 * @rule R11
 */
async function takeOver(run: LeasedRun, seen: InProgressRecord): Promise<Step> {
  const { engine, attempt } = run;
  const record = takenOverRecord(seen, attempt, engine.surroundings.now());
  const outcome = await persist(engine.surroundings, attempt.deadline, (signal) =>
    putRecord(engine.store, record, ifStill(seen), signal),
  );
  if (outcome.kind === 'met') return meet(run, outcome.record);
  engine.count('taken-over', attempt.operation);
  return { kind: 'held', record, reserved: false };
}

async function finish(run: LeasedRun, record: InProgressRecord, reserved: boolean): Promise<Step> {
  const { engine, attempt, request } = run;
  const { operation } = request;
  const { deadline } = attempt;
  const held = new HeldRecord(engine, record, deadline);
  const isOurs = record.operationId === attempt.operationId;
  const keep = isOurs ? run.keep : keeping(engine, operation.storedBody, record);
  const heldRun = { engine, operation, held, keep, deadline, reserved };
  const ending = await finishHeld(heldRun);
  if (ending.kind === 'lost') return meet(run, ending.record);
  engine.count(ending.counter, attempt.operation);
  return answerEnding(ending, record.operationId);
}

function answerEnding(ending: Exclude<Ending, { kind: 'lost' }>, operationId: string): Answer {
  const answer = ending.kind === 'completed' ? ending.reply : ending.answer;
  return answer instanceof SemelError
    ? answerProblem(answer, operationId)
    : { kind: 'reply', reply: answer, replayed: false, operationId };
}

/** What the record in the way means for a leased operation. */
async function meet(run: LeasedRun, record: IdempotencyRecord | undefined): Promise<Step> {
  const decision = decideNow(run, record);
  switch (decision.kind) {
    case 'run':
      return { kind: 'again', replaces: undefined };
    case 'replace-expired':
      return { kind: 'again', replaces: decision.record.ownerToken };
    case 'claimed-by-us':
      return { kind: 'held', record: decision.record, reserved: run.request.operation.reserve !== undefined };
    case 'take-over':
    case 'in-flight':
      return decision;
    default:
      return answerFromRecord(run.engine, run.attempt, decision, run.authorize);
  }
}

/** The same before an answer that is not stored: nothing is run any more, and an own claim is no obstacle. */
async function meetFinally(run: LeasedRun, record: IdempotencyRecord | undefined): Promise<Answer | Again> {
  const step = await meet(run, record);
  switch (step.kind) {
    case 'take-over': {
      const retryAfter = milliseconds(1_000);
      return answerFromRecord(
        run.engine,
        run.attempt,
        { kind: 'in-flight', record: step.record, retryAfter },
        undefined,
      );
    }
    case 'in-flight':
      return answerFromRecord(run.engine, run.attempt, step, undefined);
    case 'held':
      return { kind: 'again', replaces: undefined };
    default:
      return step;
  }
}
