import type { EncryptedReply, ReplyHead, StoredReply } from './reply.ts';
import type { Milliseconds, Seconds } from './time.ts';

/** The version of the item's shape; readers understand every earlier one until its retention ends. */
export const SCHEMA_VERSION = 1;

/** What every record says, whatever its status. */
export interface RecordBase {
  /** `key#<hash of scope and key>` (R3). */
  readonly pk: string;
  readonly schemaVersion: number;
  readonly operation: string;
  readonly caller: string;
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  /** Which attempt owns the record; kept on completed records so that a resent write knows itself (R10). */
  readonly ownerToken: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly firstSeenAt: Milliseconds;
  readonly correlationId?: string;
}

/** One attempt is running, or ran and died: whoever meets it after `leaseUntil` may take over (R11). Never expires. */
export interface InProgressRecord extends RecordBase {
  readonly status: 'in_progress';
  readonly leaseUntil: Milliseconds;
  /** The last committed phase, with what the next one needs to know. */
  readonly recoveryPoint?: string;
  readonly recoveryData?: string;
  /**
   * The smallest request that lets the operation be finished without its client; erased at completion. Absent where the
   * operation needs to know nothing.
   */
  readonly intent?: string;
  /** How many outcomes in a row were unknown. */
  readonly unknowns: number;
  readonly pendingShard: string;
}

/** Nothing automatic goes on from here: a person decides (never expires, never "failed"). */
export interface NeedsAttentionRecord extends Omit<InProgressRecord, 'status'> {
  readonly status: 'needs_attention';
  readonly reason: string;
}

/** The operation is over and this is its reply, until `expiresAt`. */
export interface CompletedRecord extends RecordBase {
  readonly status: 'completed';
  readonly completedAt: Milliseconds;
  readonly expiresAt: Seconds;
  /** Absent when the reply was too large to keep, or is not kept like this: a tombstone (R20). */
  readonly reply?: StoredReply;
  /** Stands in for `reply`. A member of its own: code that does not know it must say 410, not send an empty body. */
  readonly encryptedReply?: EncryptedReply;
  /** What is kept of a reply whose body is left out. */
  readonly replyHead?: ReplyHead;
  readonly resource?: string;
}

export type IdempotencyRecord = InProgressRecord | NeedsAttentionRecord | CompletedRecord;
