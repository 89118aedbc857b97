import type { Context } from 'aws-lambda';
import { deadlineBefore, type KeyedRequest, type RunningAttempt, startAttempt } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { persistentReader } from '../engine/persistent-reader.ts';
import type { RequestBody } from '../protocol/fingerprint.ts';
import { parseIdempotencyKey } from '../protocol/key.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { assertRetention, CLIENT_RETRY_HORIZON, DEFAULT_RETENTION } from '../protocol/retention.ts';
import { isReserved, type Scope } from '../protocol/scope.ts';
import { type Milliseconds, milliseconds, type Seconds } from '../protocol/time.ts';
import { type Authenticate, apiKeyCaller } from './authenticate.ts';
import { correlationIdOf } from './correlation-id.ts';
import { readBody } from './read-body.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './respond.ts';

/** A route's handler, before it becomes a Lambda handler. */
export type RouteHandler = (request: HttpRequest, context: Context) => Promise<HttpResponse>;

/** What every route may be given. */
export interface RouteBase {
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default bearer API keys */
  readonly authenticate?: Authenticate;
}

/** What a handler is told about a request. */
export interface HttpContext<Body> {
  /** The body, checked against the route's schema; undefined when the route has none. */
  readonly body: Body;
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly read: Reader;
}

/** What a keyed route says about its keys. */
export interface KeyedRoute {
  /** The operation's name, in records, counters and logs. */
  readonly operation: string;
  /** Within what a key is unique (R3). @default 'caller' */
  readonly scope?: Scope;
  /**
   * How long after its first try a client may still send the same request. Replies are kept at least that long, or a late
   * retry would run again; say so where all clients stop sooner.
   *
   * @default 24 hours, as the client of this package does
   */
  readonly retryHorizon?: Seconds;
}

/**
 * How long an endpoint keeps replies. Asked when the endpoint is made, so that one which forgets too soon never answers.
 *
 * @rule R23
 * @throws RangeError when that is shorter than its clients retry; the message states both numbers
 */
export function endpointRetention(
  { operation, retryHorizon = CLIENT_RETRY_HORIZON }: KeyedRoute,
  retention: Seconds = DEFAULT_RETENTION,
): Seconds {
  try {
    assertRetention(retention, retryHorizon);
    return retention;
  } catch (cause) {
    throw new RangeError(`${operation}: ${(cause as Error).message}`, { cause });
  }
}

/** A request whose caller is known. */
export interface Entered {
  readonly engine: Engine;
  readonly caller: string;
  readonly read: Reader;
  /** When the function will be ended. */
  readonly endsAt: Milliseconds;
}

/**
 * Finds out who is asking, before anything else (R4). Whatever says who it is, it is nobody in whose name jobs run: their
 * keys are out of reach from here (R3).
 *
 * @rule R3
 * @throws SemelError `unauthenticated`
 */
export async function enter(
  { engine = environmentEngine(), authenticate = apiKeyCaller }: RouteBase,
  request: HttpRequest,
  context: Context,
): Promise<Entered> {
  const endsAt = milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis());
  const read = persistentReader(engine, deadlineBefore(endsAt));
  const caller = await authenticate(request, read);
  if (isReserved(caller)) throw new SemelError('unauthenticated', 'No caller has a name that begins with semel:.');
  return { engine, read, endsAt, caller };
}

/**
 * Fixes a keyed request's identity (R7).
 *
 * @throws SemelError for a missing or malformed key (R1, R2) or an unreadable body (R6): nothing is claimed then
 */
export function startKeyed(
  { operation, scope = 'caller' }: KeyedRoute,
  { engine, caller, endsAt }: Entered,
  request: HttpRequest,
  accepts: 'json' | 'any',
): { readonly attempt: RunningAttempt; readonly body: RequestBody } {
  const { method, path, rawQuery, header } = request;
  const key = parseIdempotencyKey(header('Idempotency-Key'));
  const body = readBody(request, accepts);
  const correlationId = correlationIdOf(request);
  const keyed: KeyedRequest = {
    ...{ caller, operation, key, scope, endsAt, correlationId },
    request: { method, path, rawQuery, body },
    hinted: Number(header('Idempotency-Attempt')[0]) >= 2,
  };
  return { attempt: startAttempt(engine, keyed), body };
}
