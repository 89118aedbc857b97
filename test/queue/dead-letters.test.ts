import type { Message } from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { redrive } from '../../lib/cli/redrive.ts';
import { createEngine } from '../../lib/engine/engine.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { onceConsumer } from '../../lib/queue/once-consumer.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInbox } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { readItem } from '../setup/items.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';

let store: Store;
let server: FauxqsServer;
beforeAll(async () => {
  store = await freshStore();
  server = await startQueues();
});
afterAll(() => server.stop());

const LARGEST = 1_048_576;
const Body = z.object({ add: z.int() });
const Numbered = Body.extend({ sender: z.string(), seq: z.int() });

/** So many attributes of a producer's own. */
const own = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`App-${index}`, 'v']));
const fromAlice = { 'Semel-Event-Id': 'e1', 'Semel-Source': 'alice' };

const texts = ({ MessageAttributes = {} }: Message) =>
  Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));

const parkedIn = async (queue: LocalQueue) => (await queue.receive(queue.deadLetterQueueUrl)).map(texts);
const sendBack = ({ client, deadLetterQueueUrl: from, queueUrl: to }: LocalQueue) =>
  redrive({ client, from, to, moved: () => {} });

/** A consumer that adds to a total, once its account is open. */
function adding(queue: LocalQueue) {
  const consumer = crypto.randomUUID();
  const [Key, account] = [{ pk: consumer, sk: 'total' }, { open: false }];
  const handler = onceConsumer({
    ...{ consumer, body: Body, engine: createEngine({ store }), queue: queue.consumed },
    run: ({ body }) => {
      if (!account.open) return refuse('account-not-found', 'There is none yet.');
      const values = { ':add': body.add };
      return { effects: [{ Update: { Key, UpdateExpression: 'ADD amount :add', ExpressionAttributeValues: values } }] };
    },
  });
  return { handler, account, total: async () => (await readItem(store, Key))?.amount };
}

const numbers = (queue: LocalQueue, consumer: string) =>
  sequenceConsumer({
    ...{ consumer, body: Numbered, engine: createEngine({ store }), queue: queue.consumed },
    sequence: ({ sender, seq }) => ({ sender, seq }),
    effect: { deltas: ({ add }) => ({ total: add }) },
  });

describe('a message with all ten attributes', () => {
  it('R26 keeps its identity while it is parked: sent back, it is not applied again', async () => {
    const queue = new LocalQueue(server, { visibility: 1 });
    const { handler, account, total } = adding(queue);
    const sent = { attributes: { ...own(8), ...fromAlice } };
    await queue.send({ add: 5 }, sent);
    await queue.invoke(handler);
    account.open = true;
    await queue.send({ add: 5 }, sent);
    await queue.invoke(handler);
    await sendBack(queue);
    expect(await queue.invoke(handler)).toBe(1);
    expect(await total()).toBe(5);
  });

  it('R30 loses the last of its own by name to reason and detail', async () => {
    const queue = new LocalQueue(server);
    const attributes = { 'Semel-Correlation-Id': 'corr-7', ...fromAlice };
    await queue.send({ add: 5 }, { attributes: { ...own(7), ...attributes } });
    await queue.invoke(adding(queue).handler);
    const why = { 'Semel-Reason': 'account-not-found', 'Semel-Detail': 'There is none yet.' };
    expect(await parkedIn(queue)).toEqual([{ ...own(5), ...attributes, ...why }]);
  });

  it('R29 stays with its sender while it is parked', async () => {
    const queue = new LocalQueue(server, { fifo: true });
    const consumer = crypto.randomUUID();
    const sent = { attributes: { ...own(9), 'Semel-Source': 'alice' }, group: 'a' };
    for (const seq of [2, 1]) {
      await queue.send({ sender: 'a', seq, add: seq }, sent);
      await queue.invoke(numbers(queue, consumer));
    }
    await sendBack(queue);
    await queue.invoke(numbers(queue, consumer));
    const key = inboxKey({ consumer, source: 'alice', sender: 'a' });
    expect(await readInbox(store, key, AbortSignal.timeout(5_000))).toMatchObject({
      inbox: { last: 2, sums: { total: 3 } },
    });
  });
});

describe('a poison message as large as a queue takes', () => {
  const beside = Object.entries(fromAlice).reduce((sum, [name, value]) => sum + `${name}String${value}`.length, 0);

  it.each([
    ['the reason but no detail', 60, { 'Semel-Reason': 'invalid-body' }],
    ['as much of the reason as fits', 21, { 'Semel-Reason': 'inv' }],
    ['no reason', 0, {}],
  ])('R30 is parked with %s, and acknowledged', async (_, room, reason) => {
    for (const fifo of [false, true]) {
      const queue = new LocalQueue(server, { fifo });
      await queue.send(`{${'x'.repeat(LARGEST - beside - room - 1)}`, {
        ...{ attributes: fromAlice, ...(fifo && { group: 'g' }) },
      });
      await queue.invoke(adding(queue).handler);
      expect([await parkedIn(queue), queue.size]).toEqual([[{ ...fromAlice, ...reason }], 0]);
    }
  });

  it('R30 is parked with what it came with where the queues take less than SQS can', async () => {
    const queue = new LocalQueue(server, { largest: 2_000 });
    await queue.send(`{${'x'.repeat(2_000 - beside - 1)}`, { attributes: fromAlice });
    await queue.invoke(adding(queue).handler);
    expect([await parkedIn(queue), queue.size]).toEqual([[fromAlice], 0]);
  });
});

it('R30 a message whose reason quotes what SQS does not take is parked with the rest of it', async () => {
  const queue = new LocalQueue(server);
  const handler = onceConsumer({
    ...{ consumer: 'quoting', body: Body, engine: createEngine({ store }), queue: queue.consumed },
    run: () => refuse('account-not-found', 'No \uffff, no \u0001.'),
  });
  await queue.send({ add: 1 });
  await queue.invoke(handler);
  expect(await parkedIn(queue)).toMatchObject([{ 'Semel-Detail': 'No \ufffd, no \ufffd.' }]);
});

it('R29 a sender whose name no inbox can have is refused for good, and keeps nobody else back', async () => {
  const queue = new LocalQueue(server);
  await queue.send({ sender: 'x'.repeat(3_000), seq: 1, add: 1 }, { attributes: fromAlice });
  await queue.send({ sender: 'b', seq: 1, add: 1 }, { attributes: fromAlice });
  await queue.invoke(numbers(queue, 'c'));
  expect(await parkedIn(queue)).toEqual([
    { ...fromAlice, 'Semel-Reason': 'message-refused', 'Semel-Detail': expect.stringContaining('2048') },
  ]);
  expect(queue.size).toBe(0);
});
