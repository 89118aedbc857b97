import type { SendMessageCommand, SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { declined, succeeded } from '../../lib/protocol/outside-call.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { days, hours } from '../../lib/protocol/time.ts';
import { consumedQueue } from '../../lib/queue/consumed-queue.ts';
import { logger } from '../../lib/queue/consumer.ts';
import { leasedConsumer } from '../../lib/queue/leased-consumer.ts';
import { onceConsumer } from '../../lib/queue/once-consumer.ts';
import { readQueueMessage } from '../../lib/queue/queue-message.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';
import { failedIds, queueEvent } from '../setup/queue-event.ts';

let store: Store;
let engine: Engine;
let server: FauxqsServer;

beforeAll(async () => {
  store = await freshStore();
  engine = createEngine({ store });
  server = await startQueues();
});
afterAll(() => server.stop());

const Body = z.object({ name: z.string() });

/** A consumer that adds 1 for each application of an event. */
function adding(queue: LocalQueue) {
  const pk = crypto.randomUUID();
  const key = { pk, sk: 'sum' };
  const fault: { thrown?: Error | undefined } = {};
  const one = { Update: { Key: key, UpdateExpression: 'ADD amount :n', ExpressionAttributeValues: { ':n': 1 } } };
  const handler = onceConsumer({
    ...{ consumer: pk, body: Body, engine, queue: queue.consumed },
    run: ({ body }) => {
      if (fault.thrown !== undefined) throw fault.thrown;
      return body.name === 'poison' ? refuse('account-not-found', 'There is none.') : { effects: [one] };
    },
  });
  const sum = async () => {
    const get = new GetCommand({ TableName: store.dataTable, Key: key, ConsistentRead: true });
    return (await store.client.send(get)).Item?.amount ?? 0;
  };
  return { handler, sum, fault };
}

const eventId = (id: string) => ({ attributes: { 'Semel-Event-Id': id } });

describe('on a queue', () => {
  it('C30 a lost acknowledgement ends in one effect, also past the five minutes of a FIFO queue', async () => {
    const queue = new LocalQueue(server, { fifo: true, visibility: 0 });
    const { handler, sum } = adding(queue);
    await queue.send({ name: 'n' }, { ...eventId('e1'), group: 'g' });
    expect(await queue.invoke(handler, { loseAcks: true })).toBe(1);
    // Ten minutes later the producer sends it again, and SQS takes it for another message.
    await queue.send({ name: 'n' }, { ...eventId('e1'), group: 'g' });
    while ((await queue.invoke(handler)) > 0);
    expect(await sum()).toBe(1);
    expect(queue.size).toBe(0);
  });

  it('R27 a warm instance remembers nothing of a failed batch: its group goes on, and so does its message', async () => {
    const { handler, sum, fault } = adding(new LocalQueue(server, { fifo: true }));
    const batch = queueEvent(...['m1', 'm2', 'm3'].map((id) => ({ id, body: { name: 'n' }, group: 'g' })));
    fault.thrown = new Error('not now');
    expect(failedIds(await handler(batch, lambdaContext()))).toEqual(['m1', 'm2', 'm3']);
    fault.thrown = undefined;
    expect(failedIds(await handler(batch, lambdaContext()))).toEqual([]);
    expect(await sum()).toBe(3);
  });

  it('C47 a redriven dead letter is still a duplicate, under its new message id', async () => {
    const queue = new LocalQueue(server, { visibility: 0, maxReceives: 1 });
    const { handler, sum } = adding(queue);
    await queue.send({ name: 'n' }, eventId('e1'));
    await queue.invoke(handler, { loseAcks: true });
    // Received too often: SQS moves it.
    expect(await queue.invoke(handler)).toBe(0);
    expect(await queue.redrive()).toBe(1);
    expect(await queue.invoke(handler)).toBe(1);
    expect(await sum()).toBe(1);
    expect(queue.size).toBe(0);
  });

  it('C47 a redriven poison message keeps the id that it was first known by', async () => {
    const queue = new LocalQueue(server);
    const { handler } = adding(queue);
    await queue.send({ name: 'poison' });
    await queue.invoke(handler);
    const seen: unknown[] = [];
    for (let round = 1; round <= 2; round++) {
      const [letter] = await queue.receive(queue.deadLetterQueueUrl);
      seen.push(letter?.MessageAttributes?.['Semel-Event-Id']?.StringValue);
      await queue.send(
        letter?.Body,
        eventId(String(letter?.MessageAttributes?.['Semel-Event-Id']?.StringValue)),
        queue.queueUrl,
      );
      await queue.invoke(handler);
    }
    expect(seen[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[1]).toBe(seen[0]);
  });

  it('R30 poison keeps event id, reason and detail though its producer used all ten attributes', async () => {
    const sent: SendMessageCommandInput[] = [];
    const client = { send: async ({ input }: SendMessageCommand) => void sent.push(input) } as unknown as SQSClient;
    const queue = consumedQueue(client, { queueUrl: 'queue', deadLetterQueueUrl: 'dead' });
    const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, 'x']));
    const { Records } = queueEvent({ id: 'm1', body: 'poison', attributes });
    for (const message of Records.map(readQueueMessage)) {
      await queue.deadLetter(message, { eventId: 'e1', reason: 'account-not-found', detail: 'There is none.' });
    }
    // SQS refuses an eleventh, and the message would come back for ever.
    const names = Object.keys(sent[0]?.MessageAttributes ?? {});
    expect(names).toHaveLength(10);
    expect(names).toEqual(expect.arrayContaining(['Semel-Event-Id', 'Semel-Reason', 'Semel-Detail']));
  });

  it('R30 poison is in the dead-letter queue with event id and reason, and out of the queue', async () => {
    const queue = new LocalQueue(server, { fifo: true });
    const { handler } = adding(queue);
    await queue.send({ name: 'poison' }, { attributes: { 'Semel-Event-Id': 'e1', Colour: 'red' }, group: 'g' });
    await queue.invoke(handler);
    expect(queue.size).toBe(0);
    const letters = await queue.receive(queue.deadLetterQueueUrl);
    expect(letters).toMatchObject([
      {
        Body: '{"name":"poison"}',
        Attributes: { MessageGroupId: 'g' },
        MessageAttributes: {
          'Semel-Event-Id': { StringValue: 'e1' },
          'Semel-Reason': { StringValue: 'account-not-found' },
          'Semel-Detail': { StringValue: 'There is none.' },
          Colour: { StringValue: 'red' },
        },
      },
    ]);
  });
});

describe('a leased consumer', () => {
  const calling = (call: LeasedOperation['call'], retention = days(42)): LeasedOperation => ({
    ...{ name: crypto.randomUUID(), retention, call },
    settle: () => ({ status: 200 }),
    cancel: () => refuse('card-declined', 'The bank said no.'),
  });
  const leased = (queue: LocalQueue, operation: LeasedOperation) =>
    leasedConsumer({
      ...{ consumer: 'calls', body: Body, engine, queue: queue.consumed, operation },
      intent: (body) => body,
    });

  it('C27 R30 hides a duplicate of what still runs, which costs no more receives', async () => {
    const queue = new LocalQueue(server, { visibility: 0, maxReceives: 2 });
    let finish = () => {};
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let calls = 0;
    const operation = calling(async () => {
      calls++;
      await running;
      return succeeded('done');
    });
    const handler = leased(queue, operation);
    await queue.send({ name: 'n' }, eventId('e1'));
    await queue.send({ name: 'n' }, eventId('e1'));
    const first = queue.invoke(handler, { batchSize: 1 });
    await expect.poll(() => calls).toBe(1);
    // A healthy duplicate: received while the first is still being processed.
    const before = Date.now();
    const second = new LocalQueue(server, { visibility: 1 });
    await second.send({ name: 'n' }, eventId('e1'));
    await second.invoke(leased(second, operation), { batchSize: 1 });
    expect(second.hidden).toMatchObject([{ receiveCount: 1 }]);
    expect(second.hidden[0]?.until).toBeGreaterThan(before + 11_000);
    finish();
    await first;
    while ((await queue.invoke(handler)) > 0);
    expect(calls).toBe(1);
    expect(await queue.receive(queue.deadLetterQueueUrl)).toEqual([]);
  });

  it('R20 acknowledges a duplicate of what is done and whose reply is not kept', async () => {
    const queue = new LocalQueue(server);
    const settle = () => ({ status: 200, body: 'done' });
    const operation: LeasedOperation = { ...calling(async () => succeeded('done')), settle, storedBody: 'omitted' };
    for (const _ of [1, 2]) {
      await queue.send({ name: 'n' }, eventId('e1'));
      await queue.invoke(leased(queue, operation));
    }
    expect([queue.size, await queue.receive(queue.deadLetterQueueUrl)]).toEqual([0, []]);
  });

  it('R30 dead-letters a definitive no', async () => {
    const queue = new LocalQueue(server);
    await queue.send({ name: 'n' }, eventId('e1'));
    await queue.invoke(
      leased(
        queue,
        calling(async () => declined('no')),
      ),
    );
    expect(queue.size).toBe(0);
    const [letter] = await queue.receive(queue.deadLetterQueueUrl);
    expect(letter?.MessageAttributes?.['Semel-Reason']?.StringValue).toBe('card-declined');
  });

  it('R30 delivers an unknown outcome again, soon, and says why it is unknown', async () => {
    const told = vi.spyOn(logger, 'error').mockReturnValue();
    const queue = new LocalQueue(server, { visibility: 300 });
    await queue.send({ name: 'n' }, eventId('e1'));
    let calls = 0;
    const operation = calling(async () => {
      calls++;
      if (calls === 1) throw new Error('reset');
      return succeeded('done');
    });
    const handler = leased(queue, operation);
    await queue.invoke(handler);
    expect(queue.hidden[0]?.until).toBeLessThan(Date.now() + 5_000);
    expect(told.mock.calls).toMatchObject([[expect.stringContaining('again'), { error: { message: 'reset' } }]]);
    await expect.poll(() => queue.invoke(handler), { timeout: 5_000 }).toBe(1);
    expect([calls, queue.size]).toEqual([2, 0]);
  });

  it('R28 refuses to keep replies shorter than messages can come back', () => {
    vi.stubEnv('MARKER_RETENTION_SECONDS', String(days(32)));
    const queue = new LocalQueue(server);
    const operation = calling(async () => succeeded('done'), hours(24));
    expect(() => leased(queue, operation)).toThrow(/86400 s is shorter than .* 2764800 s/);
  });
});
