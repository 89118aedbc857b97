import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { route } from '../../lib/http/endpoint.ts';
import { routes } from '../../lib/http/routes.ts';
import { type OutboxItem, outboxItem } from '../../lib/protocol/outbox.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { onceConsumer } from '../../lib/queue/once-consumer.ts';
import { outboxRelay } from '../../lib/queue/outbox-relay.ts';
import { messageSender } from '../../lib/queue/send-message.ts';
import type { Store } from '../../lib/store/store.ts';
import { accountItem } from '../../lib/wallet/account.ts';
import { CREATE_TRANSFER } from '../../lib/wallet/keyed-operations.ts';
import { environmentLimit, LargeTransfer, storeNotification } from '../../lib/wallet/large-transfer.ts';
import { transfer } from '../../lib/wallet/transfer.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';
import { setClock } from '../setup/set-clock.ts';

let store: Store;
let engine: Engine;
let server: FauxqsServer;
let queue: LocalQueue;

beforeAll(async () => {
  store = await freshStore();
  engine = createEngine({ store });
  server = await startQueues();
  for (const id of ['acct_a', 'acct_b']) {
    const openedBy = { id: 'test', uuid: '01900000-0000-7000-8000-000000000000', now: milliseconds(0) };
    const Item = accountItem({ id, caller: 'alice', currency: 'EUR', balance: 10_000_000, openedBy });
    await store.client.send(new PutCommand({ TableName: store.dataTable, Item }));
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  queue = new LocalQueue(server, { visibility: 0 });
});

const sender = () => messageSender({ client: queue.client, queueUrl: queue.queueUrl });

/** Transfers through the HTTP door and answers what is in the outbox since. */
async function transferOf(amount: number) {
  const handler = routes({
    'POST /transfers': route({
      ...CREATE_TRANSFER,
      engine,
      authenticate: async () => 'alice',
      run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation, limit: 100 }, read),
    }),
  });
  const headers = { 'Idempotency-Key': crypto.randomUUID(), 'X-Correlation-Id': 'corr-7' };
  const body = { from: 'acct_a', to: 'acct_b', amount };
  const reply = await handler(httpEvent({ route: 'POST /transfers', headers, body }), lambdaContext());
  const { id } = JSON.parse(reply.body);
  const item = await outboxOf(`evt_${String(id).slice(3)}`);
  return { status: reply.statusCode, id: String(id), item };
}

const outboxOf = async (eventId: string): Promise<OutboxItem | undefined> => {
  const Key = { pk: `outbox#${eventId}` };
  const { Item } = await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }));
  return Item as OutboxItem | undefined;
};

const streamOf = (...items: readonly object[]): DynamoDBStreamEvent => ({
  Records: items.map((item, index) => ({
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(index + 1),
      NewImage: marshall(item) as never,
    },
  })),
});

const notifications = () =>
  onceConsumer({
    ...{ consumer: 'notifications', body: LargeTransfer, engine, queue: queue.consumed },
    run: storeNotification,
  });

const notification = async (eventId: string) => {
  const Key = { pk: `notification#${eventId}`, sk: 'notification' };
  const { Item } = await store.client.send(new GetCommand({ TableName: store.dataTable, Key, ConsistentRead: true }));
  return Item;
};

const relay = (items: readonly object[], send = sender()) =>
  outboxRelay({ engine, send })(streamOf(...items), lambdaContext());

describe('an event', () => {
  it('R32 is in the outbox with its operation, and only above the limit', async () => {
    const large = await transferOf(101);
    expect(large.status).toBe(201);
    expect(large.item).toMatchObject({
      schemaVersion: 1,
      type: 'large-transfer',
      source: 'alice',
      correlationId: 'corr-7',
    });
    expect(JSON.parse(String(large.item?.body))).toEqual({
      ...{ transfer: large.id, from: 'acct_a', to: 'acct_b', amount: 101, currency: 'EUR' },
    });
    expect((await transferOf(100)).item).toBeUndefined();
  });

  it('R32 is not there when its operation is refused', async () => {
    const refused = await transferOf(999_999_999);
    expect(refused.status).toBe(402);
    const { Items = [] } = await store.client.send(new ScanCommand({ TableName: store.table }));
    expect(Items.filter(({ body }) => String(body).includes('999999999'))).toEqual([]);
  });

  it('R32 R38 is relayed, deleted and stored, its correlation id with it', async () => {
    const { item, id } = await transferOf(500);
    expect(await relay([item ?? {}])).toEqual({ batchItemFailures: [] });
    expect(await outboxOf(`evt_${id.slice(3)}`)).toBeUndefined();
    expect(await queue.invoke(notifications())).toBe(1);
    expect(await notification(`evt_${id.slice(3)}`)).toMatchObject({
      amount: 500,
      caller: 'alice',
      correlationId: 'corr-7',
    });
    expect(queue.size).toBe(0);
  });
});

describe('a relay', () => {
  it('R32 that dies between sending and deleting sends twice, and the event is applied once', async () => {
    const { item, id } = await transferOf(501);
    const dying = async (message: Parameters<ReturnType<typeof sender>>[0]) => {
      await sender()(message);
      throw new Error('the machine is gone');
    };
    expect(await relay([item ?? {}], dying)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(await outboxOf(`evt_${id.slice(3)}`)).toBeDefined();
    await relay([item ?? {}]);
    const run = vi.fn(storeNotification);
    const counted = vi.fn();
    const consumer = onceConsumer({
      ...{ consumer: 'notifications', body: LargeTransfer, engine: createEngine({ store, count: counted }) },
      ...{ queue: queue.consumed, run },
    });
    while ((await queue.invoke(consumer)) > 0);
    expect(
      counted.mock.calls
        .map(([counter]) => counter)
        .filter((counter) => !counter.startsWith('retried'))
        .toSorted(),
    ).toEqual(['duplicate-message', 'new']);
  });

  it('R32 reports exactly what it could not send', async () => {
    const items = [1, 2, 3].map((n) => outboxItem({ id: `evt_r${n}`, type: 't', body: n, createdAt: milliseconds(0) }));
    const failing = async ({ eventId }: { eventId?: string }) => {
      if (eventId === 'evt_r2') throw new Error('no');
      return 'id';
    };
    expect(await relay(items, failing)).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  it('C16 R32 that is about to lose its function is not answered behind its back', async () => {
    const sent = vi.fn();
    const send = async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      sent();
      return 'id';
    };
    // The engine's clock stands still, so only who watches the function's own time could answer early.
    const still = createEngine({ store, surroundings: setClock() });
    const event = streamOf(outboxItem({ id: 'evt_late', type: 't', body: 1, createdAt: milliseconds(0) }));
    const answer = await outboxRelay({ engine: still, send })(event, lambdaContext(50));
    expect([answer, sent.mock.calls.length]).toEqual([{ batchItemFailures: [] }, 1]);
  });

  it('R32 sends nothing but new events', async () => {
    const send = vi.fn(async () => 'id');
    await relay(
      [
        { pk: 'key#1', schemaVersion: 1 },
        { pk: 'msg#c#1', schemaVersion: 1 },
      ],
      send,
    );
    const event = streamOf(outboxItem({ id: 'evt_x', type: 't', body: 1, createdAt: milliseconds(0) }));
    const removed = { Records: event.Records.map((record) => ({ ...record, eventName: 'REMOVE' as const })) };
    await outboxRelay({ engine, send })(removed, lambdaContext());
    expect(send).not.toHaveBeenCalled();
  });
});

it('R32 the limit comes from the environment', () => {
  expect(environmentLimit({})).toBe(100_000);
  expect(environmentLimit({ LARGE_TRANSFER_LIMIT: '5' })).toBe(5);
  expect(() => environmentLimit({ LARGE_TRANSFER_LIMIT: '5 EUR' })).toThrow('LARGE_TRANSFER_LIMIT');
});

describe('messageSender', () => {
  it.each([
    ['no body', { body: undefined }],
    ['an empty event id', { body: 1, eventId: '' }],
    ['a source that SQS does not take', { body: 1, source: '\uffff' }],
    ['more than SQS takes', { body: 'x'.repeat(1_048_577) }],
  ])('R22 refuses %s before it sends anything', async (_, message) => {
    const send = vi.spyOn(queue.client, 'send');
    await expect(sender()({ source: '', ...message })).rejects.toMatchObject({ code: 'internal-error' });
    expect(send).not.toHaveBeenCalled();
  });

  it('R22 sends what JSON may hold and SQS does not take', async () => {
    await sender()({ source: '', body: { text: 'a\uffff\u0001' } });
    const [message] = await queue.receive(queue.queueUrl);
    expect(JSON.parse(message?.Body ?? '')).toEqual({ text: 'a\uffff\u0001' });
  });

  it('R29 sends again on purpose: a FIFO queue does not drop it', async () => {
    const fifo = new LocalQueue(server, { fifo: true });
    const send = messageSender({ client: fifo.client, queueUrl: fifo.queueUrl });
    for (const _ of [1, 2]) await send({ source: '', body: { seq: 1 }, group: 'g' });
    expect(fifo.size).toBe(2);
  });
});
