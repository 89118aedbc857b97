import { isRefusal, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { serializeReply } from '../protocol/reply.ts';
import { respond } from './respond.ts';
import { enter, type HttpContext, type RouteBase, type RouteHandler } from './route-context.ts';

/** Only reads; a key is ignored. */
export interface ReadRoute extends RouteBase {
  readonly mode: 'read';
  readonly run: (context: HttpContext<undefined>) => ReplyDraft | Refusal | Promise<ReplyDraft | Refusal>;
}

export const readRoute =
  (options: ReadRoute): RouteHandler =>
  async (request, context) => {
    const { caller, read } = await enter(options, request, context);
    const { params, query } = request;
    const reply = await options.run({ body: undefined, caller, params, query, read });
    if (isRefusal(reply)) throw new SemelError(reply.problem, reply.detail);
    return respond(serializeReply(reply));
  };
