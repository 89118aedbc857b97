import type { ZodType } from 'zod';
import { deadlineBefore } from '../engine/attempt.ts';
import { runNatural } from '../engine/run-natural.ts';
import type { Planned } from '../protocol/plan.ts';
import { serializeReply } from '../protocol/reply.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { uuidText } from '../protocol/uuid.ts';
import { parseBody, readBody } from './read-body.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, respond } from './respond.ts';
import { enter, type HttpContext, type RouteBase, type RouteHandler } from './route-context.ts';

/** A request without a key: what it creates gets its ids and its time from here, fixed once per request. */
export interface NaturalContext<Body> extends HttpContext<Body> {
  /** Every occurrence of a header, such as `If-Match`. */
  readonly header: HttpRequest['header'];
  readonly request: {
    readonly uuid: string;
    readonly now: Milliseconds;
    /** 1, and more when an effect's condition said nothing final: plan on fresh reads then. */
    readonly round: number;
  };
}

/**
 * Retried safely without a key: the effects' own conditions make a second request meet what the first one did. A key
 * that is sent all the same is ignored.
 */
export interface NaturalRoute<Body> extends RouteBase {
  readonly mode: 'natural';
  readonly body?: ZodType<Body>;
  readonly run: (context: NaturalContext<Body>) => Planned | Promise<Planned>;
}

export const naturalRoute =
  <Body>(options: NaturalRoute<Body>): RouteHandler =>
  async (request, context): Promise<HttpResponse> => {
    const { engine, caller, read, endsAt } = await enter(options, request, context);
    const body = options.body === undefined ? undefined : readBody(request, 'json');
    const { params, query, header } = request;
    const fixed = { uuid: uuidText(engine.surroundings.uuid()), now: engine.surroundings.now() };
    const { reply, repeated } = await runNatural(engine, deadlineBefore(endsAt), (round) =>
      options.run({
        body: (options.body && body && parseBody(options.body, body)) as Body,
        ...{ caller, params, query, read, header },
        request: { ...fixed, round },
      }),
    );
    return respond(serializeReply(reply), repeated ? { 'idempotent-replayed': 'true' } : {});
  };
