import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createEngine } from '../../lib/engine/engine.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import type { HttpResponse } from '../../lib/http/respond.ts';
import { routes } from '../../lib/http/routes.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { accountItem, accountKey } from '../../lib/wallet/account.ts';
import { isPaymentEvent, PaymentEvent, receivePayment } from '../../lib/wallet/payment-event.ts';
import { github } from '../../lib/webhook/github.ts';
import { standardWebhooks } from '../../lib/webhook/standard-webhooks.ts';
import { stripe } from '../../lib/webhook/stripe.ts';
import { webhookRoute } from '../../lib/webhook/webhook.ts';
import type { WebhookSource } from '../../lib/webhook/webhook-source.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { putItem, readItem } from '../setup/items.ts';
import { SECRETS, signed } from './signed.ts';

export const SOURCES = [standardWebhooks, stripe, github] as const;

export const DONE = { status: 200, received: true, duplicate: false };
export const AGAIN = { ...DONE, duplicate: true };

interface PaymentFacts {
  readonly account?: string;
  readonly amount?: number;
  readonly id?: string;
  readonly eventId?: string;
}

/** An endpoint for payments from each source, on tables of its own; its clock and the handler's luck are the test's. */
export async function openReceiver({ run: plans = receivePayment } = {}) {
  const store = await freshStore();
  const clock = { now: Date.UTC(2026, 10, 30) };
  const fault = { thrown: undefined as Error | undefined };
  const engine = createEngine({ store, surroundings: { ...SYSTEM, now: () => milliseconds(clock.now) } });
  const payments = (source: WebhookSource) =>
    webhookRoute({
      source,
      engine,
      secrets: [SECRETS[source.name as keyof typeof SECRETS]],
      body: PaymentEvent,
      handles: isPaymentEvent,
      run: async ({ body, event, read }) => {
        const plan = await plans(body, event, read);
        if (fault.thrown !== undefined) throw fault.thrown;
        return plan;
      },
    });
  const handler = routes(
    Object.fromEntries(SOURCES.map((source) => [`POST /webhooks/${source.name}`, payments(source)])),
  );
  let counter = 0;
  const unique = (prefix: string) => `${prefix}${++counter}`;
  const seconds = () => Math.floor(clock.now / 1_000);

  async function post(source: WebhookSource, body: string, headers: Record<string, string>) {
    const event = httpEvent({ route: `POST /webhooks/${source.name}`, headers, body });
    const { statusCode: status, body: text } = (await handler(event, lambdaContext())) as HttpResponse;
    const answer = JSON.parse(text);
    return { status, code: String(answer.type).replace('/problems/', ''), ...answer };
  }

  async function openAccount(id = unique('acct_hook'), currency = 'EUR'): Promise<string> {
    const openedBy = { id: 'op', uuid: 'u', now: milliseconds(clock.now) };
    await putItem(store, accountItem({ id, caller: 'alice', currency, balance: 0, openedBy }));
    return id;
  }

  const remembered = async () =>
    (await store.client.send(new ScanCommand({ TableName: store.table, ConsistentRead: true }))).Items ?? [];

  return {
    ...{ store, clock, fault, unique, seconds, post, openAccount, remembered },
    expire: () => deleteExpired(store, clock.now),
    markers: async () => (await remembered()).length,
    balanceOf: async (account: string) => (await readItem(store, accountKey(account)))?.balance,
    /** A payment as a provider tells it, ready to be sent again. */
    aPayment: async (facts: PaymentFacts = {}) => {
      const account = facts.account ?? (await openAccount());
      const eventId = facts.eventId ?? unique('evt_');
      const data = { id: facts.id ?? unique('pay_'), account, amount: facts.amount ?? 500 };
      return { eventId, account, data, body: JSON.stringify({ id: eventId, type: 'payment.succeeded', data }) };
    },
    send: (source: WebhookSource, { eventId, body }: { eventId: string; body: string }) =>
      post(source, body, signed(source, { id: eventId, at: seconds(), body })),
  };
}

/** What DynamoDB does in its own time: everything is gone that has expired by now. */
async function deleteExpired({ client, table }: Store, now: number): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
  for (const { pk } of Items.filter(({ expiresAt }) => Number(expiresAt) * 1_000 <= now)) {
    await client.send(new DeleteCommand({ TableName: table, Key: { pk } }));
  }
}
