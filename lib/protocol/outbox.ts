import { MESSAGE_ATTRIBUTES } from './message.ts';
import { checkEventId, checkMessage, messageText } from './message-limits.ts';
import type { Effect } from './plan.ts';
import { type Milliseconds, milliseconds } from './time.ts';

/**
 * Stands for Semel's own table in an effect's `TableName`: plans are made without knowing its name. The `#` keeps it from
 * ever being the name of a table.
 */
export const OWN_TABLE = '#semel';

const OUTBOX_PREFIX = 'outbox#';
const OUTBOX_VERSION = 1;

/** The stream relays an event within about a second; what is still here after this was left over. */
const LEFT_OVER_AFTER = 60_000;

/** An event's id is part of its item's key, which has at most 2,048 bytes. */
const LONGEST_ID = 1_024;

/** An event to be sent once its operation is committed. */
export interface OutboxEvent {
  /** Stable: consumers dedupe by it. */
  readonly id: string;
  readonly type: string;
  /** Within what the id is unique for its consumers. @default '' */
  readonly source?: string;
  /** What the consumers get, as JSON. */
  readonly body: unknown;
  readonly createdAt: Milliseconds;
  readonly correlationId?: string;
}

/** An event that waits to be sent; `pendingShard` and `leaseUntil` list it for the sweeper. */
export interface OutboxItem {
  readonly pk: string;
  readonly schemaVersion: number;
  readonly type: string;
  readonly source: string;
  readonly body: string;
  readonly correlationId?: string;
  readonly pendingShard: string;
  readonly leaseUntil: Milliseconds;
}

/** An index partition takes 1,000 writes a second, and an event writes its entry twice. */
const SHARDS = 4;

/** Where the sweeper looks. */
export const OUTBOX_SHARDS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => `outbox-${shard}`);

/**
 * Sends an event as an effect: it is committed with the operation or not at all, and leaves from there.
 *
 * @rule R32
 * @throws SemelError `internal-error` for an event that no queue would ever take
 * @example effects: [debit(…), credit(…), emit({ id: `evt_${uuid}`, type: 'large-transfer', body: {…}, createdAt: now })]
 */
export const emit = (event: OutboxEvent): Effect => ({ Put: { TableName: OWN_TABLE, Item: { ...outboxItem(event) } } });

/** @throws SemelError `internal-error` for an event that no queue would ever take: once committed, it could never leave */
export function outboxItem({ id, type, source = '', body, createdAt, correlationId }: OutboxEvent): OutboxItem {
  const text = messageText(asJson(body));
  checkEventId(id, LONGEST_ID);
  checkMessage(text, {
    [MESSAGE_ATTRIBUTES.eventId]: id,
    [MESSAGE_ATTRIBUTES.source]: source,
    [MESSAGE_ATTRIBUTES.correlationId]: correlationId,
  });
  return {
    pk: `${OUTBOX_PREFIX}${id}`,
    schemaVersion: OUTBOX_VERSION,
    ...{ type, source, body: text },
    ...(correlationId !== undefined && { correlationId }),
    pendingShard: `outbox-${id.charCodeAt(id.length - 1) % SHARDS}`,
    leaseUntil: milliseconds(createdAt + LEFT_OVER_AFTER),
  };
}

/** A text is a JSON value here, in quotes; what is sent from the outbox is the text of it. */
const asJson = (body: unknown): unknown => (typeof body === 'string' ? JSON.stringify(body) : body);

/** The id of the event in an outbox item. @example outboxEventId('outbox#evt_1') // 'evt_1' */
export const outboxEventId = (pk: string): string => pk.slice(OUTBOX_PREFIX.length);
