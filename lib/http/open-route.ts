import { isRefusal, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { serializeReply } from '../protocol/reply.ts';
import { respond } from './respond.ts';
import type { RouteHandler } from './route-context.ts';

/** A route that anyone may read: no caller, no table. */
export const openRoute =
  (run: (params: Readonly<Record<string, string>>) => ReplyDraft | Refusal): RouteHandler =>
  async (request) => {
    const reply = run(request.params);
    if (isRefusal(reply)) throw new SemelError(reply.problem, reply.detail);
    return respond(serializeReply(reply));
  };
