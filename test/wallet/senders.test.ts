import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { inboxRoute } from '../../lib/http/inbox-route.ts';
import { routes } from '../../lib/http/routes.ts';
import { sendRoute } from '../../lib/http/send-route.ts';
import { messageSender } from '../../lib/queue/send-message.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import type { Store } from '../../lib/store/store.ts';
import {
  acceptNumbered,
  NumberedMessage,
  SENDERS,
  SendNumbered,
  senderIn,
  showSender,
  TOTALS,
} from '../../lib/wallet/sender.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';

let store: Store;
let engine: Engine;
let server: FauxqsServer;
let queue: LocalQueue;
let caller: string;

beforeAll(async () => {
  store = await freshStore();
  engine = createEngine({ store });
  server = await startQueues();
});
afterAll(() => server.stop());
beforeEach(() => {
  queue = new LocalQueue(server, { fifo: true, visibility: 0 });
  caller = crypto.randomUUID();
});

async function call(route: string, sender: string, body?: unknown, asCaller = caller) {
  const authenticate = async () => asCaller;
  const send = messageSender({ client: queue.client, queueUrl: queue.queueUrl });
  const handler = routes({
    'POST /senders/{sender}/messages': sendRoute({
      ...{ engine, authenticate, body: SendNumbered, send, run: acceptNumbered },
    }),
    'GET /senders/{sender}': inboxRoute({
      ...{ engine, authenticate, consumer: SENDERS, sender: senderIn, show: showSender },
    }),
  });
  const reply = await handler(httpEvent({ route, params: { sender }, body }), lambdaContext());
  return { status: reply.statusCode, body: JSON.parse(reply.body) };
}

const post = (sender: string, seq: unknown, delta: unknown) =>
  call('POST /senders/{sender}/messages', sender, { seq, delta });
const show = async (sender: string, asCaller = caller) =>
  (await call('GET /senders/{sender}', sender, undefined, asCaller)).body;

const consumer = () =>
  sequenceConsumer({
    ...{ consumer: SENDERS, body: NumberedMessage, engine, queue: queue.consumed },
    sequence: ({ sender, seq }) => ({ sender, seq }),
    effect: TOTALS,
  });
const consume = async (): Promise<void> => {
  while ((await queue.invoke(consumer())) > 0);
};

describe('a sender', () => {
  it('R29 that was never heard of is at the beginning', async () => {
    expect(await call('GET /senders/{sender}', 'a')).toEqual({
      ...{ status: 200, body: { appliedUpTo: 0, total: 0, expected: 1, gaps: [] } },
    });
  });

  it('R29 sees how far it was heard, what is missing, and that a resend heals it', async () => {
    for (const [seq, delta] of [
      [1, 10],
      [2, 5],
      [2, 5],
      [4, -1],
      [7, 1],
    ]) {
      expect((await post('a', seq, delta)).status).toBe(202);
    }
    await consume();
    const gaps = [
      { from: 3, to: 3 },
      { from: 5, to: 6 },
    ];
    expect(await show('a')).toEqual({ appliedUpTo: 2, total: 15, expected: 3, gaps });
    // A resend of a number that SQS has seen a moment ago is not swallowed by the queue.
    for (const seq of [3, 4, 5, 6, 7]) await post('a', seq, 1);
    await consume();
    expect(await show('a')).toEqual({ appliedUpTo: 7, total: 20, expected: 8, gaps: [] });
  });

  it('R29 belongs to its caller', async () => {
    await post('a', 1, 5);
    await consume();
    expect(await show('a', `${caller}-2`)).toMatchObject({ appliedUpTo: 0 });
  });

  it.each([
    [0, 1],
    [1.5, 1],
    ['1', 1],
    [1, 0.5],
    [2 ** 53, 1],
    [1, undefined],
  ])('with seq %j and delta %j is 400', async (seq, delta) => {
    expect(await post('a', seq, delta)).toMatchObject({ status: 400, body: { type: '/problems/invalid-body' } });
  });

  it.each([
    ['a slash', 'a/b'],
    ['a space', 'a b'],
    ['nothing', ''],
    ['65 letters', 'a'.repeat(65)],
    ['more than a key may have', 'a'.repeat(2_030)],
  ])('R15 with an impossible name is 400, heard and asked about: %s', async (_, name) => {
    expect((await post(name, 1, 1)).status).toBe(400);
    expect(await call('GET /senders/{sender}', name)).toMatchObject({
      status: 400,
      body: { type: '/problems/invalid-query' },
    });
  });

  it('R29 whose name no item can have was never heard of, where nobody checks it', async () => {
    const authenticate = async () => caller;
    const sender = ({ sender: name }: Readonly<Record<string, string>>) => name ?? '';
    const route = 'GET /senders/{sender}';
    const handler = routes({
      [route]: inboxRoute({ engine, authenticate, consumer: SENDERS, sender, show: showSender }),
    });
    const reply = await handler(httpEvent({ route, params: { sender: 'x'.repeat(2_030) } }), lambdaContext());
    expect([reply.statusCode, JSON.parse(reply.body)]).toEqual([
      200,
      { appliedUpTo: 0, total: 0, expected: 1, gaps: [] },
    ]);
  });
});
