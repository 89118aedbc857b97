import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import type { MessagePlan } from '../../lib/protocol/message.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { type OnceConsumer, onceConsumer } from '../../lib/queue/once-consumer.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue, type TestMessage } from '../setup/queue-event.ts';

const Body = z.object({ name: z.string(), add: z.int() });
type Body = z.infer<typeof Body>;

let store: Store;
let engine: Engine;
let queue: RecordingQueue;
let consumer: string;
let count: ReturnType<typeof vi.fn<Engine['count']>>;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  count = vi.fn<Engine['count']>();
  engine = createEngine({ store, count });
  queue = new RecordingQueue();
  consumer = crypto.randomUUID();
});

const key = (name: string) => ({ pk: `${consumer}#${name}`, sk: 'total' });

/** Not idempotent by itself: applied twice, it shows. */
const add = ({ name, add: amount }: Body): MessagePlan => ({
  effects: [
    { Update: { Key: key(name), UpdateExpression: 'ADD amount :n', ExpressionAttributeValues: { ':n': amount } } },
  ],
});

const total = async (name: string): Promise<number> => {
  const { Item } = await store.client.send(
    new GetCommand({ TableName: store.dataTable, Key: key(name), ConsistentRead: true }),
  );
  return Item?.amount ?? 0;
};

const markers = async (): Promise<readonly Record<string, unknown>[]> => {
  const { Items } = await store.client.send(new ScanCommand({ TableName: store.table, ConsistentRead: true }));
  return (Items ?? []).filter(({ pk }) => String(pk).startsWith(`msg#${consumer}#`));
};

const deliver = (messages: readonly TestMessage[], options: Partial<OnceConsumer<Body>> = {}) =>
  onceConsumer<Body>({ consumer, body: Body, engine, queue, run: ({ body }) => add(body), ...options })(
    queueEvent(...messages),
    lambdaContext(),
  );

const attached = (eventId: string, source = 'alice') => ({ 'Semel-Event-Id': eventId, 'Semel-Source': source });
const message = (id: string, body: Partial<Body> = {}, more: Partial<TestMessage> = {}): TestMessage => ({
  id,
  body: { name: 'n', add: 1, ...body },
  ...more,
});

describe('marker and effects', () => {
  it('R25 are written together, once', async () => {
    const now = milliseconds(1_900_000_000_500);
    engine = createEngine({ store, count, surroundings: { ...SYSTEM, now: () => now } });
    expect(failedIds(await deliver([message('m1')]))).toEqual([]);
    expect(failedIds(await deliver([message('m1')]))).toEqual([]);
    expect(await total('n')).toBe(1);
    expect(count.mock.calls).toEqual([
      ['new', consumer],
      ['duplicate-message', consumer],
    ]);
    const [marker, ...others] = await markers();
    expect(others).toEqual([]);
    expect(marker).toMatchObject({
      schemaVersion: 1,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      expiresAt: 1_900_000_001 + 42 * 86_400,
    });
  });

  it('R25 cost one request', async () => {
    const send = vi.spyOn(store.client, 'send');
    await deliver([message('m1')]);
    expect(await total('n')).toBe(1);
    // One for the message, and one for the look at its total.
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('R25 are kept as long as the queue asks', async () => {
    vi.stubEnv('MARKER_RETENTION_SECONDS', '1000');
    await deliver([message('m1')]);
    expect((await markers())[0]?.expiresAt).toBeLessThan(Date.now() / 1_000 + 1_002);
  });

  it('R25 compare the body by its value', async () => {
    await deliver([message('m1', {}, { body: '{"name":"n","add":1}' })]);
    await deliver([message('m1', {}, { body: '{ "add": 1, "name": "n" }' })]);
    expect(queue.rejected).toEqual([]);
    expect(await total('n')).toBe(1);
  });

  it('C48 R25 another body under the same event id is dead-lettered, not swallowed', async () => {
    await deliver([message('m1', { add: 1 }, { attributes: attached('e1') })]);
    expect(failedIds(await deliver([message('m2', { add: 5 }, { attributes: attached('e1') })]))).toEqual([]);
    expect(queue.rejected).toMatchObject([{ messageId: 'm2', eventId: 'e1', reason: 'event-id-reused' }]);
    expect(await total('n')).toBe(1);
  });
});

describe('what makes two deliveries the same', () => {
  it('R26 is the attached event id within its source', async () => {
    await deliver([message('m1', {}, { attributes: attached('e1') })]);
    await deliver([message('m2', {}, { attributes: attached('e1') })]);
    expect(await total('n')).toBe(1);
    await deliver([message('m3', {}, { attributes: attached('e1', 'bob') })]);
    expect(await total('n')).toBe(2);
  });

  it('R26 differs from consumer to consumer', async () => {
    const other = `${consumer}-2`;
    await deliver([message('m1', {}, { attributes: attached('e1') })]);
    await deliver([message('m1', {}, { attributes: attached('e1') })], { consumer: other });
    expect(await total('n')).toBe(2);
  });

  it('R26 is the message id where there is nothing else', async () => {
    await deliver([message('m1'), message('m2')]);
    await deliver([message('m2')]);
    expect(await total('n')).toBe(2);
  });

  it('C29 is what an id function reads, whatever the message ids', async () => {
    const options = { eventId: ({ name }: Body) => name };
    await deliver([message('m1', { name: 'order-7' })], options);
    await deliver([message('m2', { name: 'order-7' })], options);
    expect(await total('order-7')).toBe(1);
  });
});

describe('a batch', () => {
  it('C25 R27 whose every message fails reports each id and nothing else', async () => {
    const answer = await deliver([message('m1'), message('m2'), message('m3')], {
      run: ({ event }) => {
        throw event.id === 'm2' ? undefined : new Error(`no ${event.id}`);
      },
    });
    expect(failedIds(answer)).toEqual(['m1', 'm2', 'm3']);
    expect(queue.rejected).toEqual([]);
    expect(await markers()).toEqual([]);
  });

  it('R27 reports only what failed', async () => {
    const run: OnceConsumer<Body>['run'] = ({ body }) => {
      if (body.name === 'bad') throw new Error('no');
      return add(body);
    };
    const answer = await deliver([message('m1'), message('m2', { name: 'bad' }), message('m3')], { run });
    expect(failedIds(answer)).toEqual(['m2']);
    expect(await total('n')).toBe(2);
  });

  it('C26 R27 with the same message twice has one effect and no failure', async () => {
    expect(failedIds(await deliver([message('m1'), message('m1'), message('m1')]))).toEqual([]);
    expect(await total('n')).toBe(1);
  });

  it('R27 of a standard queue is handled side by side, so many at a time', async () => {
    let running = 0;
    let most = 0;
    const run: OnceConsumer<Body>['run'] = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { effects: [] };
    };
    await deliver(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => message(id)),
      { run, concurrency: 3 },
    );
    expect(most).toBe(3);
  });

  it('C28 R27 of a FIFO queue goes in order, and stops a group at its first failure only', async () => {
    const seen: string[] = [];
    const run: OnceConsumer<Body>['run'] = ({ body, event }) => {
      seen.push(event.id);
      if (event.id === 'm2') throw new Error('no');
      return add(body);
    };
    const answer = await deliver(
      [
        message('m1', {}, { group: 'm' }),
        message('m2', {}, { group: 'm' }),
        message('n1', { name: 'n1' }, { group: 'n' }),
        message('m3', {}, { group: 'm' }),
        message('n2', { name: 'n2' }, { group: 'n' }),
      ],
      { run },
    );
    expect(failedIds(answer)).toEqual(['m2', 'm3']);
    expect(seen.filter((id) => id.startsWith('m'))).toEqual(['m1', 'm2']);
    expect(seen.filter((id) => id.startsWith('n'))).toEqual(['n1', 'n2']);
    expect([await total('n'), await total('n1'), await total('n2')]).toEqual([1, 1, 1]);
  });

  it('R27 whose time is up leaves the rest untouched', async () => {
    const run = vi.fn<OnceConsumer<Body>['run']>(() => ({ effects: [] }));
    const handler = onceConsumer<Body>({ consumer, body: Body, engine, queue, run });
    const answer = await handler(queueEvent(message('m1'), message('m2')), lambdaContext(100));
    expect(failedIds(answer)).toEqual(['m1', 'm2']);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('a poison message', () => {
  it.each([
    ['no JSON', '{'],
    ['a body that fails the schema', { name: 7, add: 1 }],
    ['a body that two parsers read differently', '{"name":"n","add":1,"add":2}'],
  ])('R30 with %s is dead-lettered and acknowledged', async (_, body) => {
    expect(failedIds(await deliver([message('m1', {}, { body, attributes: attached('e1') })]))).toEqual([]);
    expect(queue.rejected).toEqual([
      { messageId: 'm1', eventId: 'e1', reason: 'invalid-body', detail: expect.any(String) },
    ]);
    expect(await markers()).toEqual([]);
    expect(count).toHaveBeenCalledWith('dead-lettered', consumer);
  });

  it.each<[string, OnceConsumer<Body>['run']]>([
    ['returned', () => refuse('account-not-found', 'There is none.')],
    [
      'thrown',
      () => {
        throw new SemelError('account-not-found', 'There is none.');
      },
    ],
    [
      "an effect's",
      () => ({
        effects: [
          {
            ConditionCheck: { Key: { pk: 'none', sk: 'none' }, ConditionExpression: 'attribute_exists(pk)' },
            refuse: () => refuse('account-not-found', 'There is none.'),
          },
        ],
      }),
    ],
  ])('R30 whose refusal is %s leaves no marker', async (_, run) => {
    expect(failedIds(await deliver([message('m1')], { run }))).toEqual([]);
    expect(queue.rejected).toMatchObject([{ messageId: 'm1', reason: 'account-not-found' }]);
    expect(await markers()).toEqual([]);
  });

  it('R30 that cannot be dead-lettered is delivered again', async () => {
    vi.spyOn(queue, 'deadLetter').mockRejectedValue(new Error('SQS is down'));
    const answer = await deliver([message('m1', {}, { body: '{' }), message('m2', { name: 'refused' })], {
      run: () => refuse('account-not-found', 'There is none.'),
    });
    expect(failedIds(answer)).toEqual(['m1', 'm2']);
  });

  it('R30 is not what a redelivery is whose own effect is in the way', async () => {
    const once: OnceConsumer<Body>['run'] = async ({ body, read }) =>
      (await read.get(key(body.name))) === undefined ? add(body) : refuse('message-refused', 'It is there already.');
    await deliver([message('m1')], { run: once });
    expect(failedIds(await deliver([message('m1')], { run: once }))).toEqual([]);
    expect(queue.rejected).toEqual([]);
    expect(count).toHaveBeenLastCalledWith('duplicate-message', consumer);
  });
});

it('R30 a passing failure is delivered again', async () => {
  vi.spyOn(store.client, 'send').mockImplementation(() => {
    throw Object.assign(new Error('down'), { name: 'TimeoutError' });
  });
  expect(failedIds(await deliver([message('m1')]))).toEqual(['m1']);
  expect(queue.rejected).toEqual([]);
});
