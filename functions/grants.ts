import { route } from '../lib/http/endpoint.ts';
import { routes } from '../lib/http/routes.ts';
import { deleteGrant, PutGrant, putGrant } from '../lib/wallet/grant.ts';
import { PutSettings, putSettings } from '../lib/wallet/settings.ts';

export const handler = routes({
  'PUT /accounts/{id}/grants/{grantId}': route({
    mode: 'natural',
    body: PutGrant,
    run: ({ body, caller, params: { id = '', grantId = '' }, read }) =>
      putGrant({ ...body, account: id, grantId, caller }, read),
  }),
  'DELETE /accounts/{id}/grants/{grantId}': route({
    mode: 'natural',
    run: ({ caller, params: { id = '', grantId = '' }, read }) => deleteGrant({ account: id, grantId, caller }, read),
  }),
  'PUT /accounts/{id}/settings': route({
    mode: 'natural',
    body: PutSettings,
    run: ({ body, caller, params: { id = '' }, header, read }) =>
      putSettings({ ...body, account: id, caller, ifMatch: header('If-Match') }, read),
  }),
});
