import { restAfterUnknown } from '../protocol/lease.ts';
import type { Booking, CallPhase, LeasedOperation, Phase } from '../protocol/leased-operation.ts';
import { operationUuid } from '../protocol/operation-id.ts';
import { isPassing } from '../protocol/outcomes.ts';
import { notBegun, type Outcome, unknown } from '../protocol/outside-call.ts';
import { type Effect, isRefusal, type ReplyDraft } from '../protocol/plan.ts';
import { problemReply } from '../protocol/problem-reply.ts';
import { PROBLEMS, SemelError } from '../protocol/problems.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { type StoredReply, serializeReply } from '../protocol/reply.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { tellCause, UnknownOutcome } from '../protocol/unknown-outcome.ts';
import { needsAttention } from './answer.ts';
import type { Engine } from './engine.ts';
import { type HeldRecord, LeaseLost } from './held-record.ts';
import type { KeepReply } from './keep-reply.ts';
import { completedRecord } from './new-record.ts';
import { persistentReader } from './persistent-reader.ts';

/** How a held operation ends for now. */
export type Ending =
  | { readonly kind: 'completed'; readonly reply: StoredReply; readonly counter: 'new' | 'refused' }
  /** Somebody else owns the record: decide by it. */
  | { readonly kind: 'lost'; readonly record: IdempotencyRecord | undefined }
  | {
      readonly kind: 'suspended';
      /** What the client hears; it is not stored. */
      readonly answer: SemelError | StoredReply;
      readonly counter: 'unknown' | 'needs-attention' | 'released';
    };

/** A held operation and what it runs on. */
export interface HeldRun {
  readonly engine: Engine;
  readonly operation: LeasedOperation;
  readonly held: HeldRecord;
  /** Obtains, once, what it takes to keep the reply (R20). */
  readonly keep: () => Promise<KeepReply>;
  /** Until when everything must be done. */
  readonly deadline: Milliseconds;
  /** Did this attempt itself commit a reservation, which a release would leave behind? */
  readonly reserved: boolean;
}

/** What of the time is kept for booking the outcome of a call. */
const BOOKING_ALLOWANCE = 1_500;
const MOST_UNKNOWNS = 10;
const NOT_FOUND = { kind: 'not-found' } as const;

type Unknown = { readonly kind: 'unknown'; readonly cause?: unknown };

/**
 * Takes a held operation as far as it goes: learns the outcome of the outside call, then books it together with the
 * reply, or rests, or hands it to a person. Used by the first attempt, by retries and by the reconciler alike.
 *
 * @rule R11
 * @rule R12
 */
export async function finishHeld(run: HeldRun): Promise<Ending> {
  try {
    return await learnAndEnd(run).catch((thrown) => restAfter(run, thrown));
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return { kind: 'lost', record: thrown.record };
    const answer = storeProblem(thrown) ?? outcomeUnknown(run.held.record.unknowns, thrown);
    return { kind: 'suspended', answer, counter: 'unknown' };
  }
}

async function learnAndEnd(run: HeldRun): Promise<Ending> {
  const [operation, phase] = [run.operation, phaseOf(run)];
  const outcome = await learnOutcome(run, phase);
  switch (outcome.kind) {
    case 'succeeded':
      return await book(run, 'new', (bookedAt) => operation.settle({ ...phase, bookedAt }, outcome.result));
    case 'declined':
      return await book(run, 'refused', (bookedAt) => operation.cancel({ ...phase, bookedAt }, outcome.reason));
    case 'unknown':
      return await rest(run, outcome.cause);
    case 'not-begun':
      return await giveUp(run, outcome.answer);
  }
}

/** What cannot be read or booked is as good as unknown: it is tried again, and in the end a person is asked. */
async function restAfter(run: HeldRun, thrown: unknown): Promise<Ending> {
  if (thrown instanceof LeaseLost || storeProblem(thrown) !== undefined) throw thrown;
  return rest(run, thrown);
}

/** The store did not let a write through: the lease decides. */
const storeProblem = (thrown: unknown): SemelError | undefined =>
  thrown instanceof SemelError && (thrown.code === 'store-unavailable' || thrown.code === 'too-many-conflicts')
    ? thrown
    : undefined;

function phaseOf({ engine, held, deadline }: HeldRun): Phase<unknown> {
  const { record } = held;
  return {
    intent: record.intent === undefined ? undefined : JSON.parse(record.intent),
    caller: record.caller,
    operation: {
      id: record.operationId,
      uuid: operationUuid(record.operationId),
      now: record.firstSeenAt,
      attempt: record.attempt,
    },
    read: persistentReader(engine, deadline),
  };
}

/**
 * What became of the call. A first attempt calls; a later one first asks what the earlier ones did. Whatever is thrown
 * after the call may have begun is `unknown`.
 */
async function learnOutcome(run: HeldRun, phase: Phase<unknown>): Promise<Outcome<unknown, unknown>> {
  const { engine, operation, held, deadline } = run;
  const unable = await whyUnable(run);
  if (unable !== undefined) return notBegun(unable);
  const { now, abortAfter } = engine.surroundings;
  const signal = abortAfter(milliseconds(deadline - now() - BOOKING_ALLOWANCE));
  const callPhase: CallPhase<unknown> = { ...phase, ...recoveryOf(held), signal };
  const again = held.record.attempt > 1;
  const { lookUp } = operation;
  const found = again && lookUp ? await inTime(signal, () => lookUp(callPhase)) : NOT_FOUND;
  if (found.kind !== 'not-found') return found;
  if (again && !mayCallAgain(run)) return unknown(new UnknownOutcome('The call may not be made again.'));
  return inTime(signal, () => operation.call(callPhase));
}

/** Asked before the call: after it, nothing that is out of reach may stand between its outcome and the record. */
async function whyUnable({ keep }: HeldRun): Promise<SemelError | undefined> {
  try {
    await keep();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SemelError) return thrown;
    throw thrown;
  }
}

const recoveryOf = (held: HeldRecord) => ({
  recoveryPoint: held.record.recoveryPoint,
  recoveryData: held.record.recoveryData === undefined ? undefined : JSON.parse(held.record.recoveryData),
  checkpoint: (name: string, kept: { data?: unknown; effects?: readonly Effect[] } = {}) =>
    held.checkpoint(name, kept.data, kept.effects ?? []),
  extend: (remaining: Milliseconds) => held.extend(remaining),
});

/** Once the other side has forgotten the operation id, a second call would be a second charge. */
function mayCallAgain({ engine, operation, held }: HeldRun): boolean {
  if (operation.atMostOnce) return false;
  if (operation.calledAgainFor === undefined) return true;
  return engine.surroundings.now() < held.record.firstSeenAt + operation.calledAgainFor * 1_000;
}

/** A call that does not heed its signal must not eat the time in which its outcome could be booked. */
async function inTime<Known>(signal: AbortSignal, call: () => Promise<Known>): Promise<Known | Unknown> {
  const { promise: aborted, resolve } = Promise.withResolvers<Unknown>();
  const late = () => resolve({ kind: 'unknown', cause: signal.reason });
  signal.addEventListener('abort', late);
  if (signal.aborted) late();
  try {
    return await Promise.race([call(), aborted]);
  } catch (thrown) {
    if (thrown instanceof LeaseLost) throw thrown;
    return { kind: 'unknown', cause: thrown };
  } finally {
    signal.removeEventListener('abort', late);
  }
}

/** Commits what the outcome means: the reply and its effects, once, under the fence. */
async function book(
  run: HeldRun,
  counter: 'new' | 'refused',
  make: (bookedAt: Milliseconds) => Booking | Promise<Booking>,
): Promise<Ending> {
  const { engine, operation, held } = run;
  const booking = await make(engine.surroundings.now());
  const { effects, reply, resource } = readBooking(booking, held.record.operationId);
  const keep = await run.keep();
  const record = completedRecord(held.record, {
    kept: await keep(reply),
    now: engine.surroundings.now(),
    retention: operation.retention,
    resource,
  });
  const outcome = await held.complete(record, effects);
  switch (outcome.kind) {
    case 'written':
      return { kind: 'completed', reply, counter };
    case 'lost':
      return outcome;
    case 'effect-refused':
      return escalate(run, `The condition of effect ${outcome.index} failed when the outcome was booked.`);
  }
}

function readBooking(booking: Booking, operationId: string) {
  const { effects, reply } = 'effects' in booking ? booking : { effects: [], reply: booking };
  if (!isRefusal(reply)) return { effects, reply: serializeReply(reply), resource: reply.resource };
  const { problem: code, detail } = reply;
  return { effects, reply: problemReply({ code, detail, operationId }), resource: undefined };
}

/** The outcome is not known: the lease ends early, so that a retry or the reconciler can ask again soon. */
async function rest(run: HeldRun, cause: unknown): Promise<Ending> {
  const { held, operation } = run;
  const unknowns = held.record.unknowns + 1;
  if (unknowns >= (operation.mostUnknowns ?? MOST_UNKNOWNS)) {
    return escalate(run, `The outcome was unknown ${unknowns} times in a row: ${tellCause(cause)}`, cause);
  }
  const outcome = await held.lapse(restAfterUnknown(unknowns), unknowns);
  if (outcome.kind === 'lost') return outcome;
  return { kind: 'suspended', answer: outcomeUnknown(unknowns, cause), counter: 'unknown' };
}

async function escalate({ held }: HeldRun, reason: string, cause?: unknown): Promise<Ending> {
  const outcome = await held.escalate(reason);
  if (outcome.kind === 'lost') return outcome;
  return { kind: 'suspended', answer: needsAttention(cause), counter: 'needs-attention' };
}

/**
 * The call did not begin: the key is freed where that loses nothing, else the lease ends now and the next attempt goes
 * on. There, an answer that sounds final would be refuted by the reconciler, so it counts as an unknown outcome.
 *
 * @rule R14
 */
async function giveUp(run: HeldRun, told: SemelError | ReplyDraft): Promise<Ending> {
  const { held, reserved } = run;
  const frees = held.mayRelease && !reserved;
  if (!frees && !saysLater(told))
    return rest(run, told instanceof SemelError ? told : new UnknownOutcome(`Not begun: ${told.status}.`));
  const outcome = frees ? await held.release() : await held.lapse(milliseconds(0));
  if (outcome.kind === 'lost' || outcome.kind === 'met') return { kind: 'lost', record: outcome.record };
  const answer = told instanceof SemelError ? told : serializeReply(told);
  return { kind: 'suspended', answer, counter: 'released' };
}

const saysLater = (told: SemelError | ReplyDraft): boolean =>
  told instanceof SemelError ? PROBLEMS[told.code].retryable : isPassing(told);

function outcomeUnknown(unknowns: number, cause: unknown): SemelError {
  return new SemelError(
    'outcome-unknown',
    'Whether the call outside succeeded is not known yet. Send the same request again: it will not be done twice.',
    { retryAfter: Math.max(1_000, restAfterUnknown(unknowns)), cause },
  );
}
