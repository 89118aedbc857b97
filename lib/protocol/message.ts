import type { Effect, Refusal, ReplyDraft } from './plan.ts';

/** The message attributes by which producers and consumers of ours understand each other. */
export const MESSAGE_ATTRIBUTES = {
  /** The id that the event carries in itself: the same however often it is sent (R26). */
  eventId: 'Semel-Event-Id',
  /** Within what the event id is unique: a caller, or a system. */
  source: 'Semel-Source',
  /** The correlation id of the request that caused the message (R38). */
  correlationId: 'Semel-Correlation-Id',
  /** Why a message is in the dead-letter queue: a problem's code. */
  reason: 'Semel-Reason',
  /** The same in a sentence. */
  detail: 'Semel-Detail',
} as const;

/** What a consumer's handler returns: the effects that become true together with the marker, or a permanent "no". */
export type MessagePlan = { readonly effects: readonly Effect[] } | Refusal;

/** What makes two deliveries the same message. */
export interface MessageIdentity {
  readonly consumer: string;
  readonly source: string;
  readonly eventId: string;
}

/**
 * The parts that identify a message to one consumer: two consumers apply the same event once each, and two sources may
 * use the same event id.
 *
 * @rule R26
 * @example dedupeParts({ consumer: 'deposits', source: 'c_1', eventId: 'e' }) // ['deposits', 'c_1', 'e']
 */
export const dedupeParts = ({ consumer, source, eventId }: MessageIdentity): readonly string[] => [
  consumer,
  source,
  eventId,
];

/**
 * The id of a message: what the consumer reads out of the body, else what the producer attached, else the queue's own
 * message id, which changes when a producer sends again and when a dead-letter queue is redriven.
 *
 * @rule R26
 * @example eventIdOf({ fromBody: undefined, attached: undefined, messageId: 'm-1' }) // 'm-1'
 */
export const eventIdOf = (known: {
  readonly fromBody: string | undefined;
  readonly attached: string | undefined;
  readonly messageId: string;
}): string => known.fromBody || known.attached || known.messageId;

/**
 * What an effect answers whose condition met its own result: the same event came another way, under another id, and is
 * applied already. Nobody is sent this reply; the event counts as a duplicate.
 */
export const ALREADY_APPLIED: ReplyDraft = { status: 200 };

/** A message as it leaves: what its consumer gets, and the id that the event keeps however often it is sent. */
export interface OutgoingMessage {
  /** Becomes JSON. */
  readonly body: unknown;
  /** Absent where the consumer reads the id, or the sequence number, out of the body. */
  readonly eventId?: string;
  readonly source: string;
  /** On a FIFO queue: within what order is kept. */
  readonly group?: string;
  readonly correlationId?: string;
}
