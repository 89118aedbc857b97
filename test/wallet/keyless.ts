import { inject } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { persistentReader } from '../../lib/engine/persistent-reader.ts';
import { ENVIRONMENT } from '../../lib/environment.ts';
import { createApiKey } from '../../lib/http/api-keys.ts';
import type { HttpResponse } from '../../lib/http/respond.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { accountItem } from '../../lib/wallet/account.ts';
import { listEntries } from '../../lib/wallet/entries.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { putItem } from '../setup/items.ts';

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly caller?: string;
}

/** The functions whose routes need no key, on tables of their own, with API keys for alice and bob. */
export async function openKeylessWallet() {
  const store = await freshStore();
  Object.assign(process.env, {
    [ENVIRONMENT.dataTable]: store.dataTable,
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamodb'),
    AWS_REGION: 'eu-central-1',
  });
  // Neither function is given Semel's own table: none of these routes keeps a record.
  delete process.env[ENVIRONMENT.idempotencyTable];
  const functions = await Promise.all([import('../../functions/orders.ts'), import('../../functions/grants.ts')]);
  const [{ handler: orders }, { handler: grants }] = functions;
  const table = { client: store.client, table: store.dataTable };
  const now = milliseconds(Date.now());
  const keys = {
    alice: await createApiKey(table, { caller: 'alice', now }),
    bob: await createApiKey(table, { caller: 'bob', now }),
  };
  let counter = 0;

  async function call(route: string, { body, headers, params = {}, caller = 'alice' }: Sent = {}) {
    const handler = route.includes('/orders') ? orders : grants;
    const authorization = `Bearer ${keys[caller as keyof typeof keys].key}`;
    const event = httpEvent({ route, params, body, headers: { authorization, ...headers } });
    const {
      statusCode: status,
      headers: answered,
      body: text,
    } = (await handler(event, lambdaContext())) as HttpResponse;
    const json = text === '' ? {} : JSON.parse(text);
    const code: string | undefined = /^\/problems\/(.+)$/.exec(json.type ?? '')?.[1];
    return {
      status,
      code,
      json,
      text,
      etag: answered.etag ?? '',
      repeated: answered['idempotent-replayed'] === 'true',
    };
  }

  return {
    ...{ store, call, engine: createEngine({ store }) },
    unique: (prefix: string) => `${prefix}${++counter}`,
    read: persistentReader(createEngine({ store }), milliseconds(Date.now() + 60_000)),
    openAccount: async (balance = 0, caller = 'alice') => {
      const id = `acct_keyless${++counter}`;
      const openedBy = { id: 'seed', uuid: `01900000-0000-7000-8000-${String(counter).padStart(12, '0')}`, now };
      await putItem(store, accountItem({ id, caller, currency: 'EUR', balance, openedBy }));
      return id;
    },
    entries: async (id: string, caller = 'alice') => {
      const read = persistentReader(createEngine({ store }), milliseconds(Date.now() + 60_000));
      const reply = await listEntries({ id, caller, query: new URLSearchParams() }, read);
      return (reply as unknown as { body: { entries: Record<string, unknown>[] } }).body.entries;
    },
  };
}
