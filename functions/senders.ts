import { inboxRoute } from '../lib/http/inbox-route.ts';
import { routes } from '../lib/http/routes.ts';
import { sendRoute } from '../lib/http/send-route.ts';
import { messageSender } from '../lib/queue/send-message.ts';
import { acceptNumbered, SENDERS, SendNumbered, senderIn, showSender } from '../lib/wallet/sender.ts';

export const handler = routes({
  'POST /senders/{sender}/messages': sendRoute({ body: SendNumbered, send: messageSender(), run: acceptNumbered }),
  'GET /senders/{sender}': inboxRoute({
    consumer: SENDERS,
    sender: senderIn,
    show: showSender,
  }),
});
