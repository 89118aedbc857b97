import { toBase64Url } from '../protocol/base64url.ts';
import type { Attempt } from '../protocol/decide.ts';
import { FINGERPRINT_VERSION, type FingerprintedRequest, fingerprint } from '../protocol/fingerprint.ts';
import { formatOperationId, operationUuid } from '../protocol/operation-id.ts';
import { type Scope, scopedKey, scopeParts } from '../protocol/scope.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import type { Engine } from './engine.ts';

/** A keyed request as it arrived. */
export interface KeyedRequest {
  /** Whose request it is; an adapter lets none come in a name that begins with `semel:`, which jobs run under. */
  readonly caller: string;
  /** The operation's name. */
  readonly operation: string;
  readonly key: string;
  readonly scope: Scope;
  readonly request: FingerprintedRequest;
  /** When the function will be ended, in epoch milliseconds. */
  readonly endsAt: Milliseconds;
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
  /** Until when the answer must be out. */
  readonly deadline: Milliseconds;
  readonly endsAt: Milliseconds;
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
    deadline: deadlineBefore(keyed.endsAt),
    endsAt: keyed.endsAt,
    hinted: keyed.hinted,
    ...(keyed.correlationId !== undefined && { correlationId: keyed.correlationId }),
  };
}

/** What of a function's time is kept for writing the answer. */
const ANSWER_RESERVE = 500;

/** Until when everything but the answer must be done. */
export const deadlineBefore = (endsAt: Milliseconds): Milliseconds => milliseconds(endsAt - ANSWER_RESERVE);
