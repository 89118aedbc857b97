import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { routes } from '../../lib/http/routes.ts';
import { sendRoute } from '../../lib/http/send-route.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { onceConsumer } from '../../lib/queue/once-consumer.ts';
import { queueClient } from '../../lib/queue/queue-client.ts';
import { messageSender } from '../../lib/queue/send-message.ts';
import type { Store } from '../../lib/store/store.ts';
import { accountItem, accountKey } from '../../lib/wallet/account.ts';
import { acceptDeposit, CreateDeposit, DepositMessage, deposit } from '../../lib/wallet/deposit.ts';
import { MAX_AMOUNT } from '../../lib/wallet/money.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';

let store: Store;
let engine: Engine;
let server: FauxqsServer;
let queue: LocalQueue;
let account: string;

beforeAll(async () => {
  store = await freshStore();
  engine = createEngine({ store });
  server = await startQueues();
});
afterAll(() => server.stop());
beforeEach(async () => {
  queue = new LocalQueue(server, { visibility: 0 });
  account = await openAccount('alice', 1_000);
});

async function openAccount(caller: string, balance: number): Promise<string> {
  const id = `acct_${crypto.randomUUID()}`;
  const openedBy = { id: 'test', uuid: '01900000-0000-7000-8000-000000000000', now: milliseconds(0) };
  const Item = accountItem({ id, caller, currency: 'CHF', balance, openedBy });
  await store.client.send(new PutCommand({ TableName: store.dataTable, Item }));
  return id;
}

const send = (queueUrl = queue.queueUrl, client = queue.client) => messageSender({ client, queueUrl });

async function post(body: unknown, headers: Record<string, string> = {}, sender = send()) {
  const authenticate = async () => 'alice';
  const handler = routes({
    'POST /deposits': sendRoute({ engine, authenticate, body: CreateDeposit, send: sender, run: acceptDeposit }),
  });
  const reply = await handler(httpEvent({ route: 'POST /deposits', body, headers }), lambdaContext());
  return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(reply.body) };
}

async function consume(): Promise<void> {
  const options = { consumer: 'deposits', body: DepositMessage, engine, queue: queue.consumed, run: deposit };
  while ((await queue.invoke(onceConsumer(options))) > 0);
}

const balance = async (id = account): Promise<number> => {
  const get = new GetCommand({ TableName: store.dataTable, Key: accountKey(id), ConsistentRead: true });
  return (await store.client.send(get)).Item?.balance;
};

const entries = async (id = account) => {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.dataTable,
      IndexName: 'byCreditor',
      KeyConditionExpression: 'creditAccount = :id',
      ExpressionAttributeValues: { ':id': id },
    }),
  );
  return Items;
};

const reasons = async () =>
  (await queue.receive(queue.deadLetterQueueUrl)).map(
    ({ MessageAttributes: attributes = {} }) => attributes['Semel-Reason']?.StringValue,
  );

const eventId = () => `evt ${crypto.randomUUID()}`;

describe('a deposit', () => {
  it('R25 is accepted, and credited once however often it is sent', async () => {
    const body = { eventId: eventId(), account, amount: 500 };
    for (let send = 1; send <= 3; send++) {
      expect(await post(body)).toMatchObject({
        status: 202,
        body: { messageId: expect.stringMatching(/^[\w-]{36}$/) },
      });
    }
    await consume();
    expect(await balance()).toBe(1_500);
    expect(await entries()).toMatchObject([{ kind: 'deposit', amount: 500, operation: body.eventId, caller: 'alice' }]);
    expect(await reasons()).toEqual([]);
  });

  it('R38 takes the correlation id of its request along', async () => {
    await post({ eventId: eventId(), account, amount: 1 }, { 'X-Correlation-Id': 'corr-1' });
    await post({ eventId: eventId(), account, amount: 1 }, { 'X-Correlation-Id': 'x'.repeat(129) });
    const sent = await queue.receive(queue.queueUrl);
    const ids = sent.map(({ MessageAttributes }) => MessageAttributes?.['Semel-Correlation-Id']?.StringValue);
    expect(ids.toSorted()).toEqual(['corr-1', 'request-1']);
  });

  it('C48 with a used event id and another amount is 202, then dead-lettered', async () => {
    const body = { eventId: eventId(), account, amount: 500 };
    await post(body);
    await consume();
    expect((await post({ ...body, amount: 501 })).status).toBe(202);
    await consume();
    expect([await balance(), await reasons()]).toEqual([1_500, ['event-id-reused']]);
  });

  it("is for the caller's own accounts", async () => {
    const bobs = await openAccount('bob', 0);
    for (const account of [bobs, 'acct_none']) {
      expect(await post({ eventId: eventId(), account, amount: 1 })).toMatchObject({
        ...{ status: 404, body: { type: '/problems/account-not-found' } },
      });
    }
    expect(queue.size).toBe(0);
  });

  it.each([
    ['no event id', { amount: 1 }],
    ['an empty event id', { eventId: '', amount: 1 }],
    ['an event id of 256 characters', { eventId: 'e'.repeat(256), amount: 1 }],
    ['a text as amount', { eventId: 'e', amount: '1' }],
    ['amount 0', { eventId: 'e', amount: 0 }],
  ])('with %s is 400', async (_, body) => {
    const reply = await post({ account, ...body });
    expect(reply).toMatchObject({ status: 400, body: { type: '/problems/invalid-body' } });
    expect(queue.size).toBe(0);
  });

  it('R30 that would pass what an account can hold is dead-lettered', async () => {
    await post({ eventId: eventId(), account, amount: MAX_AMOUNT });
    await consume();
    expect([await balance(), await reasons()]).toEqual([1_000, ['balance-limit']]);
  });

  it('is 503 with Retry-After while the queue is down', async () => {
    const nowhere = queueClient({ endpoint: 'http://127.0.0.1:9', region: 'us-east-1' });
    const reply = await post({ eventId: eventId(), account, amount: 1 }, {}, send(queue.queueUrl, nowhere));
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(reply.body).toMatchObject({ type: '/problems/queue-unavailable', retryable: true });
  });
});
