import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { ENVIRONMENT } from '../../lib/environment.ts';
import { createApiKey, revokeApiKey } from '../../lib/http/api-keys.ts';
import type { HttpEvent } from '../../lib/http/request.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { freshStore } from './fresh-store.ts';
import { GATEWAYS, type Gateway } from './gateway-event.ts';
import { lambdaContext, type TestRequest } from './http-event.ts';
import { records } from './purse.ts';

type Call = TestRequest & { readonly key?: string; readonly gateway?: Gateway; readonly caller?: string };

/** The functions of the wallet as Lambda would load them, on tables of their own, for callers who have API keys. */
export async function openWallet() {
  const store = await freshStore();
  // For the whole file: a stubbed environment would end with the first test.
  Object.assign(process.env, {
    [ENVIRONMENT.idempotencyTable]: store.table,
    [ENVIRONMENT.dataTable]: store.dataTable,
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamodb'),
    AWS_REGION: 'eu-central-1',
  });
  const [accounts, transfers, service] = await Promise.all([
    import('../../functions/accounts.ts'),
    import('../../functions/transfers.ts'),
    import('../../functions/service.ts'),
  ]);
  const table = { client: store.client, table: store.dataTable };
  const now = milliseconds(Date.now());
  const keys = new Map<string, Awaited<ReturnType<typeof createApiKey>>>();
  const keyOf = async (caller: string) => {
    const known = keys.get(caller) ?? (await createApiKey(table, { caller, now }));
    keys.set(caller, known);
    return known;
  };

  /** Hands an event to the function that has its route. */
  async function invoke(route: string, event: HttpEvent) {
    const { handler } = route.includes('/accounts') ? accounts : route.includes('/transfers') ? transfers : service;
    const reply = await handler(event, lambdaContext());
    const { statusCode: status, headers, body: text } = reply;
    const json = headers['content-type']?.includes('json') ? JSON.parse(text) : undefined;
    const code: string | undefined = /^\/problems\/(.+)$/.exec(json?.type ?? '')?.[1];
    return { status, headers, text, json, code, replayed: headers['idempotent-replayed'] === 'true' };
  }

  /** A request's event, with the caller's API key; the test may still change it. */
  const eventOf = async ({ key, gateway = 'HTTP API', caller = 'alice', headers, ...request }: Call) =>
    GATEWAYS[gateway]({
      ...request,
      headers: {
        Authorization: `Bearer ${(await keyOf(caller)).key}`,
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...headers,
      },
    });

  const call = async (request: Call) => invoke(request.route, await eventOf(request));
  return {
    ...{ store, invoke, eventOf, call },
    get: (route: string, params: Record<string, string> = {}, rawQuery = '') =>
      call({ route, params, rawQuery, path: pathOf(route, params) }),
    transfer: (body: unknown, key: string = randomUUID(), more: Partial<Call> = {}) =>
      call({ route: 'POST /transfers', body, key, ...more }),
    openAccount: async (openingBalance?: number, currency = 'EUR', caller = 'alice'): Promise<string> => {
      const body = { currency, ...(openingBalance !== undefined && { openingBalance }) };
      return (await call({ route: 'POST /accounts', key: randomUUID(), body, caller })).json.id;
    },
    revoke: async (caller: string) => revokeApiKey(table, { keyId: (await keyOf(caller)).keyId, now }),
    countRecords: async () => (await records(store)).length,
  };
}

export type Wallet = Awaited<ReturnType<typeof openWallet>>;

const pathOf = (route: string, params: Record<string, string>): string =>
  (route.split(' ')[1] ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
