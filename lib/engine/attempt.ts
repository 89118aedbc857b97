import type { Attempt } from '../protocol/decide.ts';
import { type FingerprintedRequest, FINGERPRINT_VERSION, fingerprint } from '../protocol/fingerprint.ts';
import { formatOperationId, operationUuid } from '../protocol/operation-id.ts';
import { toBase64Url } from '../protocol/base64url.ts';
import { type CompletedRecord, SCHEMA_VERSION } from '../protocol/record.ts';
import type { StoredReply } from '../protocol/reply.ts';
import { type Scope, scopedKey, scopeParts } from '../protocol/scope.ts';
import { expiryAfter, type Milliseconds, type Seconds } from '../protocol/time.ts';
import type { Engine } from './engine.ts';

/** A keyed request as it arrived. */
export interface KeyedRequest {
  readonly caller: string;
  /** The operation's name. */
  readonly operation: string;
  readonly key: string;
  readonly scope: Scope;
  readonly request: FingerprintedRequest;
  /** Until when the answer must be out, in epoch milliseconds. */
  readonly deadline: Milliseconds;
  /** Does the client say that it is retrying (R24)? */
  readonly hinted: boolean;
  readonly correlationId?: string;
}

/** One attempt at one operation. Everything in it is fixed when the request arrives (R7, R10). */
export interface RunningAttempt extends Attempt {
  readonly pk: string;
  readonly caller: string;
  readonly operation: string;
  readonly operationId: string;
  /** The UUIDv7 inside the operation id: the ids of what the operation creates derive from it. */
  readonly uuid: string;
  readonly startedAt: Milliseconds;
  readonly deadline: Milliseconds;
  readonly hinted: boolean;
  readonly correlationId?: string;
}

/**
 * Fixes an attempt's identity: where its record lives, who it is, and what was asked. The fingerprint is computed here,
 * before any handler runs, so that a handler which changes its input cannot change it.
 *
 * @rule R3
 * @rule R7
 * @rule R10
 */
export function startAttempt(engine: Engine, keyed: KeyedRequest): RunningAttempt {
  const keyHash = engine.hashKey(scopedKey(scopeParts(keyed.scope, keyed)));
  const operationId = formatOperationId(keyHash, toBase64Url(engine.surroundings.uuid()));
  const current = fingerprint(keyed.request, engine.hashRequest);
  return {
    pk: `key#${toBase64Url(keyHash)}`,
    ownerToken: engine.surroundings.token(),
    fingerprint: (version) =>
      version === FINGERPRINT_VERSION ? current : fingerprint(keyed.request, engine.hashRequest, version),
    caller: keyed.caller,
    operation: keyed.operation,
    operationId,
    uuid: operationUuid(operationId),
    startedAt: engine.surroundings.now(),
    deadline: keyed.deadline,
    hinted: keyed.hinted,
    ...(keyed.correlationId !== undefined && { correlationId: keyed.correlationId }),
  };
}

/** The record that says an attempt is over and this is the reply; expiry counts from now (R8). */
export function completedRecord(
  attempt: RunningAttempt,
  reply: StoredReply,
  now: Milliseconds,
  retention: Seconds,
  resource?: string,
): CompletedRecord {
  return {
    pk: attempt.pk,
    schemaVersion: SCHEMA_VERSION,
    status: 'completed',
    operation: attempt.operation,
    caller: attempt.caller,
    fingerprint: attempt.fingerprint(FINGERPRINT_VERSION),
    fingerprintVersion: FINGERPRINT_VERSION,
    ownerToken: attempt.ownerToken,
    operationId: attempt.operationId,
    attempt: 1,
    firstSeenAt: attempt.startedAt,
    completedAt: now,
    expiresAt: expiryAfter(now, retention),
    reply,
    ...(resource !== undefined && { resource }),
    ...(attempt.correlationId !== undefined && { correlationId: attempt.correlationId }),
  };
}
