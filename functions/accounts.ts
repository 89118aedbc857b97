import { route } from '../lib/http/endpoint.ts';
import { routes } from '../lib/http/routes.ts';
import { createAccount, showAccount } from '../lib/wallet/account.ts';
import { listEntries } from '../lib/wallet/entries.ts';
import { CREATE_ACCOUNT } from '../lib/wallet/keyed-operations.ts';

export const handler = routes({
  'POST /accounts': route({
    ...CREATE_ACCOUNT,
    run: ({ body, caller, operation }) => createAccount({ ...body, caller, operation }),
  }),
  'GET /accounts/{id}': route({
    mode: 'read',
    run: ({ params, caller, read }) => showAccount(params.id ?? '', caller, read),
  }),
  'GET /accounts/{id}/entries': route({
    mode: 'read',
    run: ({ params, caller, query, read }) => listEntries({ id: params.id ?? '', caller, query }, read),
  }),
});
