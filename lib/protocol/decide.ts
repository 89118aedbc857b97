import type { CompletedRecord, IdempotencyRecord, InProgressRecord, NeedsAttentionRecord } from './record.ts';
import type { EncryptedReply, StoredReply } from './reply.ts';
import { type Milliseconds, milliseconds } from './time.ts';

/** What one attempt knows about itself when it meets a record. */
export interface Attempt {
  readonly ownerToken: string;
  /** The request's fingerprint in a given version: a record is compared in the version it was written with (R5). */
  readonly fingerprint: (version: number) => string;
}

/** What to do about the record found under the key. Every value is handled by an exhaustive switch. */
export type Decision =
  /** Nothing is there: run. */
  | { readonly kind: 'run' }
  /** The record is this very attempt's completion, whose response was lost: answer with it, as the first (R10). */
  | { readonly kind: 'completed-by-us'; readonly record: CompletedRecord; readonly reply: KeptBody }
  /** The record is this very attempt's claim: go on (R10). */
  | { readonly kind: 'claimed-by-us'; readonly record: InProgressRecord }
  /** An earlier attempt finished: answer with its reply (R17). */
  | { readonly kind: 'replay'; readonly record: CompletedRecord; readonly reply: KeptBody }
  /** The operation is over, but its reply was too large to keep, or its body was left out (R20). */
  | { readonly kind: 'reply-not-kept'; readonly record: CompletedRecord }
  /** Retention is over and TTL has not come by yet: replace it, conditional on its owner token (R8). */
  | { readonly kind: 'replace-expired'; readonly record: CompletedRecord }
  /** The key was used for another request (R7). */
  | { readonly kind: 'mismatch'; readonly record: IdempotencyRecord }
  /** Another attempt is running (R18). */
  | { readonly kind: 'in-flight'; readonly record: InProgressRecord; readonly retryAfter: Milliseconds }
  /** Another attempt's lease has lapsed: take over by compare-and-set on its owner token (R11). */
  | { readonly kind: 'take-over'; readonly record: InProgressRecord }
  /** A person has to decide. */
  | { readonly kind: 'needs-attention'; readonly record: NeedsAttentionRecord };

/** A reply that can be sent again, once it is decrypted where it is encrypted. */
type KeptBody = StoredReply | EncryptedReply;

/** Clients are asked to come back after what is left of the lease, but at most after this (R18). */
const LONGEST_RETRY_AFTER = 5_000;

/**
 * Decides what an attempt does about the record it met.
 *
 * The order matters: own writes first, since a resend must not be refused by itself; then expiry, since an expired
 * record is no record; then the fingerprint, before the status, so that a reused key is 422 even in flight.
 *
 * @rule R7
 * @rule R8
 * @rule R10
 * @rule R11
 * @example decide(undefined, attempt, now) // { kind: 'run' }
 */
export function decide(record: IdempotencyRecord | undefined, attempt: Attempt, now: Milliseconds): Decision {
  if (record === undefined) return { kind: 'run' };
  const ours = record.ownerToken === attempt.ownerToken;
  if (ours && record.status === 'completed') return completed('completed-by-us', record);
  if (ours && record.status === 'in_progress') return { kind: 'claimed-by-us', record };
  if (record.status === 'completed' && hasExpired(record, now)) return { kind: 'replace-expired', record };
  if (record.fingerprint !== attempt.fingerprint(record.fingerprintVersion)) return { kind: 'mismatch', record };
  switch (record.status) {
    case 'completed':
      return completed('replay', record);
    case 'needs_attention':
      return { kind: 'needs-attention', record };
    case 'in_progress':
      return record.leaseUntil <= now ? { kind: 'take-over', record } : inFlight(record, now);
  }
}

function completed(kind: 'completed-by-us' | 'replay', record: CompletedRecord): Decision {
  const reply = record.reply ?? record.encryptedReply;
  return reply === undefined ? { kind: 'reply-not-kept', record } : { kind, record, reply };
}

/** Only completed records expire (R8); `expiresAt` is in seconds, `now` in milliseconds. */
const hasExpired = (record: CompletedRecord, now: Milliseconds): boolean => record.expiresAt * 1_000 <= now;

function inFlight(record: InProgressRecord, now: Milliseconds): Decision {
  const retryAfter = milliseconds(Math.min(record.leaseUntil - now, LONGEST_RETRY_AFTER));
  return { kind: 'in-flight', record, retryAfter };
}
