/** The package's entry `semel`: the protocol and the engine, for those who write an adapter of their own, and for plans. */
export type { Answer, Authorize } from '../engine/answer.ts';
export { applyOnce, type EventContext, type IncomingMessage, type MessageEnding } from '../engine/apply-once.ts';
export { deadlineBefore, type KeyedRequest, type RunningAttempt, startAttempt } from '../engine/attempt.ts';
export { createEngine, type Engine } from '../engine/engine.ts';
export { environmentEngine } from '../engine/environment-engine.ts';
export { type Reconciled, reconcile } from '../engine/reconcile.ts';
export { type AtomicOperation, runAtomic } from '../engine/run-atomic.ts';
export { type Job, type JobEnding, type JobPage, runJob } from '../engine/run-job.ts';
export { type LeasedRequest, runLeased } from '../engine/run-leased.ts';
export { runNatural } from '../engine/run-natural.ts';
export { applySequence } from '../engine/sequence-inbox.ts';
export type { PlanNumbered, SequenceEffect } from '../engine/sequence-run.ts';
export { type Surroundings, SYSTEM } from '../engine/surroundings.ts';
export { ENVIRONMENT } from '../environment.ts';
export type { Counter } from '../protocol/counters.ts';
export { type Attempt, type Decision, decide } from '../protocol/decide.ts';
export { type FingerprintedRequest, fingerprint, type RequestBody } from '../protocol/fingerprint.ts';
export { parseIJson } from '../protocol/i-json.ts';
export { parseIdempotencyKey } from '../protocol/key.ts';
export type {
  Booking,
  BookingPhase,
  CallPhase,
  LeasedOperation,
  Phase,
  Reservation,
} from '../protocol/leased-operation.ts';
export { ALREADY_APPLIED, MESSAGE_ATTRIBUTES, type MessagePlan } from '../protocol/message.ts';
export { emit, type OutboxEvent } from '../protocol/outbox.ts';
export { declined, type Found, notBegun, type Outcome, succeeded, unknown } from '../protocol/outside-call.ts';
export {
  type Effect,
  type Item,
  isPlan,
  isRefusal,
  type Plan,
  type Planned,
  type Refusal,
  type ReplyDraft,
  refuse,
} from '../protocol/plan.ts';
export { ownProblem } from '../protocol/problem-reply.ts';
export { PROBLEMS, type ProblemCode, SemelError } from '../protocol/problems.ts';
export type { Query, Reader } from '../protocol/reader.ts';
export type { IdempotencyRecord } from '../protocol/record.ts';
export type { StoredBody } from '../protocol/reply.ts';
export type { CipherContext, EncryptBody, ReplyCipher } from '../protocol/reply-cipher.ts';
export { assertRetention, CLIENT_RETRY_HORIZON, DEFAULT_RETENTION, MONEY_RETENTION } from '../protocol/retention.ts';
export type { Scope } from '../protocol/scope.ts';
export { days, hours, type Milliseconds, milliseconds, type Seconds, seconds } from '../protocol/time.ts';
export { UnknownOutcome } from '../protocol/unknown-outcome.ts';
export { documentClient } from '../store/document-client.ts';
export type { Store } from '../store/store.ts';
