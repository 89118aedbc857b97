import type { ZodType } from 'zod';
import type { OutgoingMessage } from '../protocol/message.ts';
import { isRefusal, type Refusal } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { serializeReply } from '../protocol/reply.ts';
import { logger } from './answering-problems.ts';
import { correlationIdOf } from './correlation-id.ts';
import { parseBody, readBody } from './read-body.ts';
import { respond } from './respond.ts';
import { enter, type HttpContext, type RouteBase, type RouteHandler } from './route-context.ts';

/** Answers 202 and leaves the work to a queue; the event's own id is what makes a repeated request harmless. */
export interface SendRoute<Body> extends RouteBase {
  readonly body: ZodType<Body>;
  /** Sends the message and answers the queue's id for it. */
  readonly send: (message: OutgoingMessage) => Promise<string>;
  /** Looks at what can be seen before the queue, and makes the message. */
  readonly run: (context: HttpContext<Body>) => OutgoingMessage | Refusal | Promise<OutgoingMessage | Refusal>;
}

/**
 * A route that hands its request over to a queue. The correlation id of the request goes along (R38).
 *
 * @throws SemelError `queue-unavailable` when the queue does not take the message
 * @example 'POST /deposits': sendRoute({ body: CreateDeposit, send: messageSender(), run: acceptDeposit })
 */
export const sendRoute =
  <Body>(options: SendRoute<Body>): RouteHandler =>
  async (request, context) => {
    const { caller, read } = await enter(options, request, context);
    const { params, query } = request;
    const body = parseBody(options.body, readBody(request, 'json'));
    const message = await options.run({ body, caller, params, query, read });
    if (isRefusal(message)) throw new SemelError(message.problem, message.detail);
    const correlationId = correlationIdOf(request);
    const messageId = await options.send({ ...message, correlationId });
    logger.info('Sent', { route: request.routeKey, messageId, correlationId });
    return respond(serializeReply({ status: 202, body: { messageId } }));
  };
