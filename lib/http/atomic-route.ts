import type { ZodType } from 'zod';
import type { Authorize } from '../engine/answer.ts';
import type { RunningAttempt } from '../engine/attempt.ts';
import { assertCipher } from '../engine/keep-reply.ts';
import { runAtomic } from '../engine/run-atomic.ts';
import type { Planned } from '../protocol/plan.ts';
import type { StoredBody } from '../protocol/reply.ts';
import type { Milliseconds, Seconds } from '../protocol/time.ts';
import { answerKeyed } from './answering-problems.ts';
import { parseBody } from './read-body.ts';
import {
  endpointRetention,
  enter,
  type HttpContext,
  type KeyedRoute,
  type RouteBase,
  type RouteHandler,
  startKeyed,
} from './route-context.ts';

/** A keyed request also has an operation, whose id, UUID and time are fixed once per request (R10). */
export interface OperationContext<Body> extends HttpContext<Body> {
  readonly operation: {
    readonly id: string;
    readonly uuid: string;
    readonly now: Milliseconds;
    /** To go along with what the operation sends (R38). */
    readonly correlationId?: string | undefined;
    /** 1, and more when an effect's condition said nothing final: plan on fresh reads then. */
    readonly round: number;
  };
}

/** Retried safely: the effects are all in DynamoDB and commit together with the record. */
export interface AtomicRoute<Body> extends RouteBase, KeyedRoute {
  readonly mode: 'atomic';
  /** The body's schema; unknown members are ignored here but belong to the fingerprint. */
  readonly body?: ZodType<Body>;
  /** How long replies are replayed, at least for `retryHorizon` (R23). @default 24 hours */
  readonly retention?: Seconds;
  /** How bodies of replies are kept (R17, R20); `encrypted` takes an engine with a `replyCipher`. @default 'whole' */
  readonly storedBody?: StoredBody;
  /** Asked before a replay (R4). @default everyone who has the key may see its reply */
  readonly authorize?: Authorize;
  readonly run: (context: OperationContext<Body>) => Planned | Promise<Planned>;
}

/** @throws Error when its replies are to be encrypted and the engine has no cipher, or are kept for too short a time */
export function atomicRoute<Body>(options: AtomicRoute<Body>): RouteHandler {
  assertCipher({ name: options.operation, storedBody: options.storedBody }, options.engine);
  const retention = endpointRetention(options, options.retention);
  return async (request, context) => {
    const entered = await enter(options, request, context);
    const { attempt, body } = startKeyed(options, entered, request, options.body === undefined ? 'any' : 'json');
    const { caller, read } = entered;
    const { params, query } = request;
    const answer = await runAtomic(entered.engine, attempt, {
      retention,
      ...(options.storedBody && { storedBody: options.storedBody }),
      ...(options.authorize && { authorize: options.authorize }),
      // Parsed anew for each run: what one run does to its input, the next does not see.
      run: (round) =>
        options.run({
          body: (options.body === undefined ? undefined : parseBody(options.body, body)) as Body,
          ...{ caller, params, query, read },
          operation: operationOf(attempt, round),
        }),
    });
    return answerKeyed(attempt, answer);
  };
}

const operationOf = ({ operationId: id, uuid, startedAt: now, correlationId }: RunningAttempt, round: number) => ({
  ...{ id, uuid, now, correlationId, round },
});
