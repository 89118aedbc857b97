import { deadlineBefore } from '../engine/attempt.ts';
import { persist } from '../engine/persist.ts';
import { type InboxView, viewInbox } from '../protocol/inbox.ts';
import type { ReplyDraft } from '../protocol/plan.ts';
import { serializeReply } from '../protocol/reply.ts';
import { inboxKey } from '../protocol/sequence.ts';
import { readInbox } from '../store/inbox-item.ts';
import { respond } from './respond.ts';
import { enter, type RouteBase, type RouteHandler } from './route-context.ts';

/** Shows one of the caller's senders how far its messages were applied. */
export interface InboxRoute extends RouteBase {
  /** The name of the consumer that applies them. */
  readonly consumer: string;
  /** Which sender is asked about. */
  readonly sender: (params: Readonly<Record<string, string>>) => string;
  readonly show: (inbox: InboxView) => ReplyDraft;
}

/**
 * A route that reads a sender's mark consistently, so that the sender knows from where to send again.
 *
 * @rule R29
 */
export const inboxRoute =
  (options: InboxRoute): RouteHandler =>
  async (request, context) => {
    const { engine, caller: source, endsAt } = await enter(options, request, context);
    const key = inboxKey({ consumer: options.consumer, source, sender: options.sender(request.params) });
    const { inbox } = await persist(engine.surroundings, deadlineBefore(endsAt), (signal) =>
      readInbox(engine.store, key, signal),
    );
    return respond(serializeReply(options.show(viewInbox(inbox))));
  };
