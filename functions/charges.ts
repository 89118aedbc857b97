import { route } from '../lib/http/endpoint.ts';
import { routes } from '../lib/http/routes.ts';
import { chargeOperation, showCharge } from '../lib/wallet/charge.ts';
import { environmentProvider } from '../lib/wallet/environment-provider.ts';
import { CREATE_CHARGE, CREATE_REFUND } from '../lib/wallet/keyed-operations.ts';
import { refundOperation } from '../lib/wallet/refund.ts';

const provider = environmentProvider();

export const handler = routes({
  'POST /charges': route({
    mode: 'leased',
    operation: chargeOperation(provider),
    body: CREATE_CHARGE.body,
    intent: ({ body }) => body,
  }),
  'GET /charges/{id}': route({
    mode: 'read',
    run: ({ params, caller, read }) => showCharge(params.id ?? '', caller, read),
  }),
  'POST /charges/{id}/refunds': route({
    mode: 'leased',
    operation: refundOperation(provider),
    body: CREATE_REFUND.body,
    intent: ({ body, params }) => ({ charge: params.id ?? '', amount: body.amount }),
  }),
});
