import { route } from '../lib/http/endpoint.ts';
import { routes } from '../lib/http/routes.ts';
import { CREATE_TRANSFER } from '../lib/wallet/keyed-operations.ts';
import { environmentLimit } from '../lib/wallet/large-transfer.ts';
import { showTransfer, transfer } from '../lib/wallet/transfer.ts';

const limit = environmentLimit(process.env);

export const handler = routes({
  'POST /transfers': route({
    ...CREATE_TRANSFER,
    run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation, limit }, read),
  }),
  'GET /transfers/{id}': route({
    mode: 'read',
    run: ({ params, caller, read }) => showTransfer(params.id ?? '', caller, read),
  }),
});
