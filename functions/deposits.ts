import { routes } from '../lib/http/routes.ts';
import { sendRoute } from '../lib/http/send-route.ts';
import { messageSender } from '../lib/queue/send-message.ts';
import { acceptDeposit, CreateDeposit } from '../lib/wallet/deposit.ts';

export const handler = routes({
  'POST /deposits': sendRoute({ body: CreateDeposit, send: messageSender(), run: acceptDeposit }),
});
