import type { Found, Outcome } from './outside-call.ts';
import type { Effect, Refusal, ReplyDraft } from './plan.ts';
import type { Reader } from './reader.ts';
import type { StoredBody } from './reply.ts';
import type { Milliseconds, Seconds } from './time.ts';

/** What every phase is told: the operation as it was first asked for, whoever finishes it. */
export interface Phase<Intent> {
  readonly intent: Intent;
  readonly caller: string;
  readonly operation: {
    /** Stable over takeovers: the reference for the other side (R11). */
    readonly id: string;
    readonly uuid: string;
    /** When the operation was first seen. */
    readonly now: Milliseconds;
    readonly attempt: number;
  };
  readonly read: Reader;
}

/** The phase that leaves DynamoDB. */
export interface CallPhase<Intent> extends Phase<Intent> {
  /** Aborts when the request's time is up. */
  readonly signal: AbortSignal;
  /** The last committed checkpoint, and what it kept. */
  readonly recoveryPoint: string | undefined;
  readonly recoveryData: unknown;
  /** Commits a phase: from here on a takeover starts after it (R11). Throws when this attempt no longer owns the record. */
  checkpoint(name: string, kept?: { readonly data?: unknown; readonly effects?: readonly Effect[] }): Promise<void>;
  /** Moves the end of the lease to this many milliseconds from now. */
  extend(remaining: Milliseconds): Promise<void>;
}

/** The phase that books. Its time is not that of the operation, which may have been first seen hours earlier. */
export interface BookingPhase<Intent> extends Phase<Intent> {
  readonly bookedAt: Milliseconds;
}

/** What settles or cancels an operation: effects without conditions of their own, and the reply. */
export type Booking =
  | { readonly effects: readonly Effect[]; readonly reply: ReplyDraft | Refusal }
  | ReplyDraft
  | Refusal;

/** What is held together with the claim, or the final "no" that keeps the call from being made. */
export type Reservation = { readonly effects: readonly Effect[] } | ReplyDraft | Refusal;

/** An operation whose effects leave DynamoDB, as its phases. */
export interface LeasedOperation<Intent = unknown, Result = unknown, Reason = unknown> {
  /** The operation's name, in records, counters and logs. */
  readonly name: string;
  /** How long the reply is replayed (R23). */
  readonly retention: Seconds;
  /** How the reply's body is kept (R17, R20); whoever finishes the operation needs the cipher. @default 'whole' */
  readonly storedBody?: StoredBody;
  /** Holds what is needed, together with the claim; business conditions belong here and nowhere else. */
  readonly reserve?: (phase: Phase<Intent>, round: number) => Reservation | Promise<Reservation>;
  /** The call itself, under `operation.id`; it may be made again with the same id. */
  readonly call: (phase: CallPhase<Intent>) => Promise<Outcome<Result, Reason>>;
  /** Asks the other side what became of `operation.id`. @default a takeover calls again */
  readonly lookUp?: (phase: CallPhase<Intent>) => Promise<Found<Result, Reason>>;
  /** Books a success. */
  readonly settle: (phase: BookingPhase<Intent>, result: Result) => Booking | Promise<Booking>;
  /** Gives back what was held. */
  readonly cancel: (phase: BookingPhase<Intent>, reason: Reason) => Booking | Promise<Booking>;
  /** After so many unknown outcomes a person decides. @default 10 */
  readonly mostUnknowns?: number;
  /** For how long the other side dedupes by the operation id; after it, only look-ups. @default always */
  readonly calledAgainFor?: Seconds;
  /** For a provider without idempotency: never call twice, look up instead. @default false */
  readonly atMostOnce?: boolean;
}
