import type { Context } from 'aws-lambda';
import type { ZodType } from 'zod';
import type { Authorize } from '../engine/answer.ts';
import { deadlineBefore, type KeyedRequest, type RunningAttempt, startAttempt } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { runAtomic } from '../engine/run-atomic.ts';
import { parseIdempotencyKey } from '../protocol/key.ts';
import { isRefusal, type Planned, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { serializeReply } from '../protocol/reply.ts';
import { DEFAULT_RETENTION } from '../protocol/retention.ts';
import type { Scope } from '../protocol/scope.ts';
import { type Milliseconds, milliseconds, type Seconds } from '../protocol/time.ts';
import { tableReader } from '../store/table-reader.ts';
import { answeringProblems } from './answering-problems.ts';
import { type Authenticate, apiKeyCaller } from './authenticate.ts';
import { environmentEngine } from './environment-engine.ts';
import { parseBody, readBody } from './read-body.ts';
import { type HttpEvent, type HttpRequest, readRequest } from './request.ts';
import { type HttpResponse, respond, respondAnswer } from './respond.ts';

/** What a handler is told about a request. */
export interface HttpContext<Body> {
  /** The body, checked against the endpoint's schema; undefined when the endpoint has none. */
  readonly body: Body;
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly read: Reader;
}

/** A keyed request also has an operation, whose id, UUID and time are fixed once per request (R10). */
export interface OperationContext<Body> extends HttpContext<Body> {
  readonly operation: {
    readonly id: string;
    readonly uuid: string;
    readonly now: Milliseconds;
    /** 1, and more when an effect's condition said nothing final: plan on fresh reads then. */
    readonly round: number;
  };
}

interface EndpointBase {
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default bearer API keys */
  readonly authenticate?: Authenticate;
}

/** Retried safely: the effects are all in DynamoDB and commit together with the record. */
export interface AtomicEndpoint<Body> extends EndpointBase {
  readonly mode: 'atomic';
  /** The operation's name, in records, counters and logs. */
  readonly operation: string;
  /** The body's schema; unknown members are ignored here but belong to the fingerprint. */
  readonly body?: ZodType<Body>;
  /** How long replies are replayed (R23). @default 24 hours */
  readonly retention?: Seconds;
  /** Within what a key is unique (R3). @default 'caller' */
  readonly scope?: Scope;
  /** Asked before a replay (R4). @default everyone who has the key may see its reply */
  readonly authorize?: Authorize;
  readonly run: (context: OperationContext<Body>) => Planned | Promise<Planned>;
}

/** Only reads; a key is ignored. */
export interface ReadEndpoint extends EndpointBase {
  readonly mode: 'read';
  readonly run: (context: HttpContext<undefined>) => ReplyDraft | Refusal | Promise<ReplyDraft | Refusal>;
}

/** A route's handler, before it becomes a Lambda handler. */
export type RouteHandler = (request: HttpRequest, context: Context) => Promise<HttpResponse>;

/**
 * A Lambda handler for one operation: the idempotent run is middy's base handler, so replays pass through the same
 * middleware as first replies.
 *
 * @example
 * export const handler = endpoint({ operation: 'create-note', mode: 'atomic', body: Note, run: ({ body }) => note(body) });
 */
export function endpoint<Body = undefined>(options: AtomicEndpoint<Body>): ReturnType<typeof answeringProblems>;
export function endpoint(options: ReadEndpoint): ReturnType<typeof answeringProblems>;
export function endpoint<Body>(options: AtomicEndpoint<Body> | ReadEndpoint) {
  const handle = options.mode === 'atomic' ? route(options) : route(options);
  return answeringProblems((event: HttpEvent, context) => handle(readRequest(event), context));
}

/** The same as `endpoint`, to be put into `routes`. */
export function route<Body = undefined>(options: AtomicEndpoint<Body>): RouteHandler;
export function route(options: ReadEndpoint): RouteHandler;
export function route<Body>(options: AtomicEndpoint<Body> | ReadEndpoint): RouteHandler {
  return options.mode === 'atomic' ? atomicRoute(options) : readRoute(options);
}

const readRoute =
  ({ engine = environmentEngine(), authenticate = apiKeyCaller, run }: ReadEndpoint): RouteHandler =>
  async (request, context) => {
    const { read, caller } = await enter(engine, authenticate, request, endOf(engine, context));
    const reply = await run({ body: undefined, caller, params: request.params, query: request.query, read });
    if (isRefusal(reply)) throw new SemelError(reply.problem, reply.detail);
    return respond(serializeReply(reply));
  };

function atomicRoute<Body>(options: AtomicEndpoint<Body>): RouteHandler {
  const { engine = environmentEngine(), authenticate = apiKeyCaller, authorize } = options;
  return async (request, context) => {
    const endsAt = endOf(engine, context);
    const { read, caller } = await enter(engine, authenticate, request, endsAt);
    const key = parseIdempotencyKey(request.header('Idempotency-Key'));
    const body = readBody(request, options.body === undefined ? 'any' : 'json');
    const attempt = startAttempt(engine, keyedRequest(options, request, { caller, key, body, endsAt }));
    const answer = await runAtomic(engine, attempt, {
      retention: options.retention ?? DEFAULT_RETENTION,
      ...(authorize && { authorize }),
      // Parsed anew for each run: what one run does to its input, the next does not see.
      run: (round) =>
        options.run({
          body: (options.body === undefined ? undefined : parseBody(options.body, body)) as Body,
          ...{ caller, params: request.params, query: request.query, read },
          operation: operationOf(attempt, round),
        }),
    });
    return respondAnswer(answer);
  };
}

const operationOf = (attempt: RunningAttempt, round: number) => ({
  round,
  id: attempt.operationId,
  uuid: attempt.uuid,
  now: attempt.startedAt,
});

function keyedRequest(
  { operation, scope = 'caller' }: Pick<AtomicEndpoint<unknown>, 'operation' | 'scope'>,
  request: HttpRequest,
  known: { caller: string; key: string; body: KeyedRequest['request']['body']; endsAt: Milliseconds },
): KeyedRequest {
  const [correlationId = request.requestId] = request.header('X-Correlation-Id');
  return {
    ...{ operation, scope, correlationId },
    ...{ caller: known.caller, key: known.key, endsAt: known.endsAt },
    request: { method: request.method, path: request.path, rawQuery: request.rawQuery, body: known.body },
    hinted: Number(request.header('Idempotency-Attempt')[0]) >= 2,
  };
}

async function enter(engine: Engine, authenticate: Authenticate, request: HttpRequest, endsAt: Milliseconds) {
  const remaining = milliseconds(deadlineBefore(endsAt) - engine.surroundings.now());
  const read = tableReader(engine.store, engine.surroundings.abortAfter(remaining));
  return { read, caller: await authenticate(request, read) };
}

const endOf = (engine: Engine, context: Context): Milliseconds =>
  milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis());
