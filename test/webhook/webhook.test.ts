import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
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

const SOURCES = [standardWebhooks, stripe, github] as const;

let store: Store;
const clock = { now: Date.UTC(2026, 10, 30) };
const fault = { thrown: undefined as Error | undefined };

beforeAll(async () => {
  store = await freshStore();
});

const seconds = () => Math.floor(clock.now / 1_000);

function handler() {
  const engine = createEngine({ store, surroundings: { ...SYSTEM, now: () => milliseconds(clock.now) } });
  const payments = (source: WebhookSource) =>
    webhookRoute({
      source,
      engine,
      secrets: [SECRETS[source.name as keyof typeof SECRETS]],
      body: PaymentEvent,
      handles: isPaymentEvent,
      run: async ({ body, event, read }) => {
        const plan = await receivePayment(body, event, read);
        if (fault.thrown !== undefined) throw fault.thrown;
        return plan;
      },
    });
  return routes(Object.fromEntries(SOURCES.map((source) => [`POST /webhooks/${source.name}`, payments(source)])));
}

async function post(source: WebhookSource, body: string, headers: Record<string, string>) {
  const event = httpEvent({ route: `POST /webhooks/${source.name}`, headers, body });
  const { statusCode: status, body: text } = (await handler()(event, lambdaContext())) as HttpResponse;
  const answer = JSON.parse(text);
  return { status, code: String(answer.type).replace('/problems/', ''), ...answer };
}

const DONE = { status: 200, received: true, duplicate: false };
const AGAIN = { ...DONE, duplicate: true };

let counter = 0;
const unique = (prefix: string) => `${prefix}${++counter}`;

async function anAccount(): Promise<string> {
  const id = `acct_hook${++counter}`;
  const openedBy = { id: 'op', uuid: 'u', now: milliseconds(clock.now) };
  await putItem(store, accountItem({ id, caller: 'alice', currency: 'EUR', balance: 0, openedBy }));
  return id;
}

const balanceOf = async (account: string) => (await readItem(store, accountKey(account)))?.balance;

async function markers(): Promise<number> {
  const { Count } = await store.client.send(new ScanCommand({ TableName: store.table, ConsistentRead: true }));
  return Count ?? 0;
}

/** A payment as a provider tells it, ready to be sent again. */
async function aPayment(changes: { account?: string; amount?: number; id?: string; eventId?: string } = {}) {
  const account = changes.account ?? (await anAccount());
  const eventId = changes.eventId ?? unique('evt_');
  const data = { id: changes.id ?? unique('pay_'), account, amount: changes.amount ?? 500 };
  return { eventId, account, data, body: JSON.stringify({ id: eventId, type: 'payment.succeeded', data }) };
}

const send = (source: WebhookSource, { eventId, body }: { eventId: string; body: string }) =>
  post(source, body, signed(source, { id: eventId, at: seconds(), body }));

describe.each(SOURCES.map((source) => ({ source, name: source.name })))('$name', ({ source }) => {
  it('R31 applies an event once, and answers 2xx each time', async () => {
    const payment = await aPayment();
    expect(await send(source, payment)).toMatchObject(DONE);
    expect(await send(source, payment)).toMatchObject(AGAIN);
    clock.now += 60_000;
    expect(await send(source, payment)).toMatchObject(AGAIN);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R31 applies an event once that is delivered ten times at once', async () => {
    const payment = await aPayment();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(source, payment)));
    expect(answers.filter(({ duplicate }) => duplicate === false)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R31 answers 401 and writes nothing for what is forged, stale, truncated, re-serialized or unsigned', async () => {
    const { eventId: id, body, account } = await aPayment();
    const right = signed(source, { id, at: seconds(), body });
    const before = await markers();
    const requests: Record<string, [string, Record<string, string>]> = {
      forged: [body, signed(source, { id, at: seconds(), body, secret: 'whsec_Zm9yZ2Vk' })],
      changed: [body.replace('500', '501'), right],
      truncated: [body.slice(0, -1), right],
      reserialized: [JSON.stringify(JSON.parse(body), null, 1), right],
      unsigned: [body, {}],
      empty: ['', right],
    };
    if (source !== github) requests.stale = [body, signed(source, { id, at: seconds() - 301, body })];
    if (source !== github) requests.early = [body, signed(source, { id, at: seconds() + 301, body })];
    for (const [kind, [text, headers]] of Object.entries(requests)) {
      expect(await post(source, text, headers), kind).toMatchObject({ status: 401, code: 'signature-invalid' });
    }
    expect(await markers()).toBe(before);
    expect(await balanceOf(account)).toBe(0);
  });

  it('R31 refuses the same event id with another body', async () => {
    const payment = await aPayment();
    await send(source, payment);
    const other = await aPayment({ ...payment.data, eventId: payment.eventId, amount: 700, id: unique('pay_') });
    expect(await send(source, other)).toMatchObject({ status: 409, code: 'event-id-reused' });
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R31 acknowledges other types without an effect', async () => {
    const eventId = unique('evt_');
    const body = JSON.stringify({ id: eventId, type: 'payment.refunded', data: { account: 7 } });
    expect(await send(source, { eventId, body })).toMatchObject(DONE);
  });

  it('R31 leaves no mark of an event that cannot be applied yet', async () => {
    const account = `acct_late${++counter}`;
    const payment = await aPayment({ account });
    const before = await markers();
    expect(await send(source, payment)).toMatchObject({ status: 422, code: 'message-refused' });
    expect(await markers()).toBe(before);
    const openedBy = { id: 'op', uuid: 'u', now: milliseconds(clock.now) };
    await putItem(store, accountItem({ id: account, caller: 'alice', currency: 'CHF', balance: 0, openedBy }));
    expect(await send(source, payment)).toMatchObject(DONE);
    expect(await balanceOf(account)).toBe(500);
  });

  it('C31 applies the redelivery of an event whose handler failed', async () => {
    const payment = await aPayment();
    const before = await markers();
    fault.thrown = new Error('the handler failed');
    expect(await send(source, payment)).toMatchObject({ status: 500 });
    fault.thrown = undefined;
    expect(await markers()).toBe(before);
    expect(await send(source, payment)).toMatchObject(DONE);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('C34 knows an event that comes back after 75 hours', async () => {
    const payment = await aPayment();
    await send(source, payment);
    clock.now += 75 * 3_600_000;
    expect(await send(source, payment)).toMatchObject(AGAIN);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R31 keeps what it knows for 30 days', async () => {
    const payment = await aPayment();
    const before = new Set((await scan()).map(({ pk }) => pk));
    await send(source, payment);
    const added = (await scan()).filter(({ pk }) => !before.has(pk));
    expect(added).toHaveLength(source.idIsSigned ? 1 : 2);
    for (const { expiresAt } of added) expect(expiresAt).toBe(Math.ceil(clock.now / 1_000) + 30 * 86_400);
  });

  it('C33 does not start with an empty secret', () => {
    const start = () => webhookRoute({ source, secrets: [''], body: PaymentEvent, run: () => ({ effects: [] }) });
    expect(start).toThrow(/empty/);
  });
});

const scan = async () =>
  (await store.client.send(new ScanCommand({ TableName: store.table, ConsistentRead: true }))).Items ?? [];

describe('an id that is not signed', () => {
  it('R31 cannot make a caught delivery new', async () => {
    const payment = await aPayment();
    await send(github, payment);
    const caught = signed(github, { id: payment.eventId, at: seconds(), body: payment.body });
    const replayed = await post(github, payment.body, { ...caught, 'X-GitHub-Delivery': unique('evt_') });
    expect(replayed).toMatchObject(AGAIN);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R31 guards effects without a natural id of their own', async () => {
    const account = await anAccount();
    const engine = createEngine({ store });
    const count = webhookRoute({
      ...{ source: github, engine, secrets: [SECRETS.github], body: PaymentEvent },
      run: () => ({
        effects: [
          {
            Update: {
              Key: accountKey(account),
              UpdateExpression: 'SET balance = balance + :one',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ],
      }),
    });
    const { body } = await aPayment({ account });
    const handle = routes({ 'POST /webhooks/github': count });
    for (const id of ['first', 'first', 'second']) {
      const headers = signed(github, { id, at: 0, body });
      await handle(httpEvent({ route: 'POST /webhooks/github', headers, body }), lambdaContext());
    }
    expect(await balanceOf(account)).toBe(1);
  });
});

describe('redundant sources', () => {
  it('R34 credit a payment once that both report', async () => {
    const payment = await aPayment();
    const report = (eventId: string) => aPayment({ ...payment.data, eventId });
    expect(await send(stripe, payment)).toMatchObject(DONE);
    expect(await send(standardWebhooks, await report(unique('msg_')))).toMatchObject(AGAIN);
    expect(await send(github, await report(unique('guid-')))).toMatchObject(AGAIN);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R34 credit it once when both report it at the same time', async () => {
    const payment = await aPayment();
    const reports = await Promise.all(SOURCES.map(() => aPayment({ ...payment.data, eventId: unique('evt_') })));
    const answers = await Promise.all(SOURCES.map((source, index) => send(source, reports[index] ?? payment)));
    expect(answers.filter(({ duplicate }) => duplicate === false)).toHaveLength(1);
    expect(await balanceOf(payment.account)).toBe(500);
  });

  it('R34 are not believed when they differ about one payment', async () => {
    const payment = await aPayment();
    await send(stripe, payment);
    const other = await aPayment({ ...payment.data, amount: 900, eventId: unique('msg_') });
    expect(await send(standardWebhooks, other)).toMatchObject({ status: 409, code: 'event-id-reused' });
    expect(await balanceOf(payment.account)).toBe(500);
  });
});

describe('bodies', () => {
  it('R31 of an event that is no JSON or fits no schema are 400, without a mark', async () => {
    const before = await markers();
    for (const body of [
      'Hello, World!',
      '{"type":"payment.succeeded","data":{"amount":0}}',
      '{"amount":1,"amount":2}',
    ]) {
      expect(await send(standardWebhooks, { eventId: unique('evt_'), body }), body).toMatchObject({
        status: 400,
        code: 'invalid-body',
      });
    }
    expect(await markers()).toBe(before);
  });

  it('R31 over 256 KB are 413', async () => {
    const body = JSON.stringify({ id: 'evt', type: 'x'.repeat(262_144) });
    expect(await send(standardWebhooks, { eventId: 'evt', body })).toMatchObject({ status: 413 });
  });

  it('R31 of Stripe are the same event whatever the number of pending deliveries', async () => {
    const payment = await aPayment();
    const event = JSON.parse(payment.body);
    const counted = (pending: number) => ({
      ...payment,
      body: JSON.stringify({ ...event, pending_webhooks: pending }),
    });
    expect(await send(stripe, counted(2))).toMatchObject(DONE);
    expect(await send(stripe, counted(1))).toMatchObject(AGAIN);
  });
});
