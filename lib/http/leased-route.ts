import type { ZodType } from 'zod';
import type { Authorize } from '../engine/answer.ts';
import { assertCipher } from '../engine/keep-reply.ts';
import { runLeased } from '../engine/run-leased.ts';
import type { CallPhase, LeasedOperation } from '../protocol/leased-operation.ts';
import { isFinalStatus } from '../protocol/outcomes.ts';
import { declined, notBegun, succeeded, unknown } from '../protocol/outside-call.ts';
import { isRefusal, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { parsePrefer } from '../protocol/prefer.ts';
import { PROBLEMS, SemelError } from '../protocol/problems.ts';
import type { StoredBody } from '../protocol/reply.ts';
import { DEFAULT_RETENTION } from '../protocol/retention.ts';
import type { Seconds } from '../protocol/time.ts';
import { UnknownOutcome } from '../protocol/unknown-outcome.ts';
import { answerKeyed } from './answering-problems.ts';
import { parseBody } from './read-body.ts';
import {
  endpointRetention,
  enter,
  type KeyedRoute,
  type RouteBase,
  type RouteHandler,
  startKeyed,
} from './route-context.ts';

interface LeasedBase<Body> extends RouteBase, Pick<KeyedRoute, 'scope' | 'retryHorizon'> {
  readonly mode: 'leased';
  readonly body?: ZodType<Body>;
  /** Asked before a replay (R4). @default everyone who has the key may see its reply */
  readonly authorize?: Authorize;
}

/** An operation whose effects leave DynamoDB, as phases. */
export interface LeasedRoute<Body, Intent> extends LeasedBase<Body> {
  // biome-ignore lint/suspicious/noExplicitAny: what a call answers is between its phases and no matter of the route
  readonly operation: LeasedOperation<Intent, any, any>;
  /** The smallest request from which the operation can be finished without its client. */
  readonly intent: (request: { readonly body: Body; readonly params: Readonly<Record<string, string>> }) => Intent;
}

/** A handler of one's own under a lease: no plans, one run. */
export interface WrappedRoute<Body> extends LeasedBase<Body> {
  readonly operation: string;
  /** How long replies are replayed, at least for `retryHorizon` (R23). @default 24 hours */
  readonly retention?: Seconds;
  /** How bodies of replies are kept (R17, R20); `encrypted` takes an engine with a `replyCipher`. @default 'whole' */
  readonly storedBody?: StoredBody;
  /**
   * Does the work, under `operation.id`, and returns the reply or a refusal. Thrown or returned makes no difference: a
   * code that is stored refuses, and so does a reply of 402, 404, 409, 410, 412 or 422; another 4xx, by its code or by a
   * status that is never stored, says that nothing was done and leaves the key usable (R14, R15); on a later attempt,
   * which may follow one that did something, only a passing one (429) is answered. A 5xx, and whatever else is thrown,
   * leaves the outcome unknown: a retry runs again with the same operation id.
   */
  readonly run: (phase: CallPhase<Body>) => Promise<ReplyDraft | Refusal>;
}

/** @throws Error when its replies are to be encrypted and the engine has no cipher, or are kept for too short a time */
export function leasedRoute<Body, Intent>(options: LeasedRoute<Body, Intent> | WrappedRoute<Body>): RouteHandler {
  const { operation, intent } = 'run' in options ? wrapped(options) : options;
  const { scope, retryHorizon } = options;
  const keyed = {
    operation: operation.name,
    ...(scope && { scope }),
    ...(retryHorizon !== undefined && { retryHorizon }),
  };
  assertCipher(operation, options.engine);
  endpointRetention(keyed, operation.retention);
  return async (request, context) => {
    const entered = await enter(options, request, context);
    const { attempt, body } = startKeyed(keyed, entered, request, options.body === undefined ? 'any' : 'json');
    const answer = await runLeased(entered.engine, attempt, {
      operation: operation as LeasedOperation,
      intent: () => {
        const checked = (options.body === undefined ? undefined : parseBody(options.body, body)) as Body;
        return intent({ body: checked, params: request.params });
      },
      prefer: parsePrefer(request.header('Prefer')),
      ...(options.authorize && { authorize: options.authorize }),
    });
    return answerKeyed(attempt, answer);
  };
}

/** A plain handler as a leased operation: its reply settles, its refusal cancels, its throw is unknown. */
function wrapped<Body>(options: WrappedRoute<Body>): Pick<LeasedRoute<Body, Body>, 'operation' | 'intent'> {
  const operation: LeasedOperation<Body, ReplyDraft, Refusal> = {
    name: options.operation,
    retention: options.retention ?? DEFAULT_RETENTION,
    ...(options.storedBody && { storedBody: options.storedBody }),
    call: async (phase) => {
      try {
        return readReturned(await options.run(phase));
      } catch (thrown) {
        return readThrown(thrown);
      }
    },
    settle: (_, reply) => reply,
    cancel: (_, refusal) => refusal,
  };
  return { operation, intent: ({ body }) => body };
}

function readReturned(planned: ReplyDraft | Refusal) {
  if (isRefusal(planned)) return readThrown(new SemelError(planned.problem, planned.detail));
  if (isFinalStatus(planned.status)) return succeeded(planned);
  return planned.status < 500
    ? notBegun(planned)
    : unknown(new UnknownOutcome(`The handler answered ${planned.status}.`));
}

/** A 5xx says nothing about what was done before it was thrown; the reader throws one, too. */
function readThrown(thrown: unknown) {
  if (!(thrown instanceof SemelError)) return unknown(thrown);
  const { stored, status } = PROBLEMS[thrown.code];
  if (stored) return declined(refuse(thrown.code, thrown.message));
  return status < 500 ? notBegun(thrown) : unknown(thrown);
}
