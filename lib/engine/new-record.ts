import { FINGERPRINT_VERSION } from '../protocol/fingerprint.ts';
import { leaseUntil } from '../protocol/lease.ts';
import {
  type CompletedRecord,
  type InProgressRecord,
  type NeedsAttentionRecord,
  type RecordBase,
  SCHEMA_VERSION,
} from '../protocol/record.ts';
import { expiryAfter, type Milliseconds, milliseconds, type Seconds } from '../protocol/time.ts';
import type { RunningAttempt } from './attempt.ts';
import type { KeptReply } from './keep-reply.ts';

/** What a first attempt's record says, whatever its status. */
export const firstRecord = (attempt: RunningAttempt): RecordBase => ({
  pk: attempt.pk,
  schemaVersion: SCHEMA_VERSION,
  operation: attempt.operation,
  caller: attempt.caller,
  fingerprint: attempt.fingerprint(FINGERPRINT_VERSION),
  fingerprintVersion: FINGERPRINT_VERSION,
  ownerToken: attempt.ownerToken,
  operationId: attempt.operationId,
  attempt: 1,
  firstSeenAt: attempt.startedAt,
  ...(attempt.correlationId !== undefined && { correlationId: attempt.correlationId }),
});

/**
 * The record that says an operation is over; what an unfinished one carried, its intent above all, is left behind.
 * Retention counts from now.
 *
 * @rule R8
 */
export function completedRecord(
  from: RecordBase,
  over: {
    readonly kept: KeptReply;
    readonly now: Milliseconds;
    readonly retention: Seconds;
    readonly resource: string | undefined;
  },
): CompletedRecord {
  const { pk, schemaVersion, operation, caller, fingerprint, fingerprintVersion, ownerToken } = from;
  const { operationId, attempt, firstSeenAt, correlationId } = from;
  return {
    ...{ pk, schemaVersion, operation, caller, fingerprint, fingerprintVersion, ownerToken },
    ...{ operationId, attempt, firstSeenAt },
    ...(correlationId !== undefined && { correlationId }),
    status: 'completed',
    completedAt: over.now,
    expiresAt: expiryAfter(over.now, over.retention),
    ...over.kept,
    ...(over.resource !== undefined && { resource: over.resource }),
  };
}

/** The claim: one attempt is running, and may not be taken over before its function has certainly ended (R13). */
export const claimedRecord = (attempt: RunningAttempt, intent: unknown, now: Milliseconds): InProgressRecord => ({
  ...firstRecord(attempt),
  status: 'in_progress',
  leaseUntil: leaseUntil(now, milliseconds(attempt.endsAt - now)),
  intent: JSON.stringify(intent),
  unknowns: 0,
  pendingShard: shardOf(attempt.pk),
});

/**
 * The same operation in a new attempt's hands: identity, intent and recovery point survive.
 *
 * @rule R11
 */
export const takenOverRecord = (
  record: InProgressRecord,
  attempt: Pick<RunningAttempt, 'ownerToken' | 'endsAt'>,
  now: Milliseconds,
): InProgressRecord => ({
  ...record,
  ownerToken: attempt.ownerToken,
  attempt: record.attempt + 1,
  leaseUntil: leaseUntil(now, milliseconds(attempt.endsAt - now)),
});

/** Nothing automatic goes on from here. */
export const attentionRecord = (record: InProgressRecord, reason: string): NeedsAttentionRecord => ({
  ...record,
  status: 'needs_attention',
  reason,
  pendingShard: ATTENTION_SHARD,
});

/** What waited for a person, for the next attempt to take over: at once, and with all its tries before it. */
export const resumedRecord = (
  { reason: _, ...record }: NeedsAttentionRecord,
  ownerToken: string,
  now: Milliseconds,
): InProgressRecord => ({
  ...record,
  ...{ status: 'in_progress', ownerToken, leaseUntil: now, unknowns: 0 },
  pendingShard: shardOf(record.pk),
});

/** Where operations that wait for a person are listed. */
export const ATTENTION_SHARD = 'attention';

/** Index partitions take 1,000 writes a second each, and a leased operation writes its entry twice. */
const SHARDS = 8;

export const PENDING_SHARDS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => `pending-${shard}`);

/** The key's hash spreads evenly, so its last character but one does (the last holds fewer bits). */
const shardOf = (pk: string): string => `pending-${pk.charCodeAt(pk.length - 2) % SHARDS}`;
