import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import type { SequenceEffect } from '../../lib/engine/sequence-run.ts';
import { viewInbox } from '../../lib/protocol/inbox.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInboxItem } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue } from '../setup/queue-event.ts';

const Body = z.object({ sender: z.string(), seq: z.int().min(1), delta: z.int() });
type Body = z.infer<typeof Body>;

let store: Store;
let engine: Engine;
let queue: RecordingQueue;
let consumer: string;
let real: (...args: unknown[]) => Promise<unknown>;
let send: ReturnType<typeof vi.spyOn>;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  engine = createEngine({ store, count: vi.fn() });
  queue = new RecordingQueue();
  consumer = crypto.randomUUID();
  real = store.client.send.bind(store.client) as typeof real;
  send = vi.spyOn(store.client, 'send');
});
afterEach(() => {
  vi.restoreAllMocks();
});

const DELTAS: SequenceEffect<Body> = { deltas: ({ delta }) => ({ total: delta }) };

/** A message as the vector of the design writes it. @example parse('a4 +1') */
function parse(text: string): Body {
  const [, sender = '', seq, delta] = /^(\w)(\d+) ([+-]\d+)$/.exec(text) ?? [];
  return { sender, seq: Number(seq), delta: Number(delta) };
}

let sends = 0;

/** Delivers messages in one batch, each as a send of its own. */
async function deliver(
  texts: readonly (string | Body)[],
  effect: SequenceEffect<Body> = DELTAS,
  { sources = ['alice'], remaining = 10_000 } = {},
) {
  const handler = sequenceConsumer<Body>({
    ...{ consumer, body: Body, engine, queue, effect },
    sequence: ({ sender, seq }) => ({ sender, seq }),
  });
  const messages = texts.map((text, index) => {
    const body = typeof text === 'string' ? parse(text) : text;
    const attributes = { 'Semel-Source': sources[index % sources.length] ?? '' };
    return { id: `m${++sends}`, body, group: body.sender, attributes };
  });
  return failedIds(await handler(queueEvent(...messages), lambdaContext(remaining)));
}

const itemOf = async (sender: string, source = 'alice') => {
  const Key = inboxKey({ consumer, source, sender });
  return (await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }))).Item;
};
const inboxOf = async (sender: string, source?: string) => {
  const item = await itemOf(sender, source);
  return viewInbox(item && readInboxItem(item));
};

const requests = (): number => send.mock.calls.length;

/** What was counted of the messages; how often the store was tried again depends on the machine. */
const counted = (): string[] =>
  vi
    .mocked(engine.count)
    .mock.calls.flatMap(([counter]) => (/^retried|^dead-lettered$/.test(counter) ? [] : [counter]));

const VECTOR = ['a1 +10', 'a2 +5', 'a2 +5', 'b1 +7', 'a4 +1', 'a1 +10', 'a3 +2'];
const OUTCOMES = ['new', 'new', 'duplicate-message', 'new', 'gap', 'duplicate-message', 'new'];

describe('the vector', () => {
  it.each<[string, string[][]]>([
    ['in one batch', [VECTOR]],
    ['message by message', VECTOR.map((text) => [text])],
  ])('R29 comes out the same %s', async (_, batches) => {
    for (const batch of batches) {
      expect(await deliver(batch)).toEqual([]);
    }
    expect(counted().toSorted()).toEqual(OUTCOMES.toSorted());
    const [a, b] = [await inboxOf('a'), await inboxOf('b')];
    expect([a.appliedUpTo, b.appliedUpTo]).toEqual([3, 1]);
    expect((a.sums.total ?? 0) + (b.sums.total ?? 0)).toBe(24);
    expect(queue.rejected).toMatchObject([{ eventId: 'a:4', reason: 'gap' }]);
  });

  it('R29 message by message has the outcomes in that order', async () => {
    for (const text of VECTOR) await deliver([text]);
    expect(counted()).toEqual(OUTCOMES);
  });
});

describe('requests', () => {
  it('R29 of 10 messages of one sender in one invocation: one', async () => {
    await deliver(Array.from({ length: 10 }, (_, index) => ({ sender: 'a', seq: index + 1, delta: 1 })));
    console.log(`10 messages of one sender, deltas: ${requests()} request (${requests() / 10} per message)`);
    expect(requests()).toBe(1);
    expect((await inboxOf('a')).sums).toEqual({ total: 10 });
  });

  it('R29 of 10 messages that fold into a state: two', async () => {
    const fold: SequenceEffect<Body> = { fold: (state, { delta }) => [...((state as number[]) ?? []), delta] };
    await deliver(
      Array.from({ length: 5 }, (_, index) => ({ sender: 'a', seq: index + 1, delta: index })),
      fold,
    );
    send.mockClear();
    await deliver(
      Array.from({ length: 10 }, (_, index) => ({ sender: 'a', seq: index + 6, delta: index + 5 })),
      fold,
    );
    console.log(`10 messages of one sender, folds: ${requests()} requests (${requests() / 10} per message)`);
    expect(requests()).toBe(2);
    expect((await inboxOf('a')).state).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('R29 of a redelivered batch: one, which applies nothing', async () => {
    await deliver(['a1 +1', 'a2 +1']);
    send.mockClear();
    expect(await deliver(['a1 +1', 'a2 +1'])).toEqual([]);
    expect(requests()).toBe(1);
    expect((await inboxOf('a')).sums).toEqual({ total: 2 });
  });
});

describe('a gap', () => {
  it('R29 is shown to the sender until it is closed, and a resend heals it', async () => {
    await deliver(['a1 +1', 'a3 +1', 'a6 +1']);
    expect(await inboxOf('a')).toMatchObject({
      appliedUpTo: 1,
      expected: 2,
      gaps: [
        { from: 2, to: 2 },
        { from: 4, to: 5 },
      ],
    });
    await deliver(['a2 +1', 'a3 +1']);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 3, gaps: [{ from: 4, to: 5 }] });
    await deliver(['a4 +1', 'a5 +1', 'a6 +1']);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 6, expected: 7, gaps: [], sums: { total: 6 } });
    // What was parked is forgotten once it is applied, or the item would grow with every gap.
    expect(await itemOf('a')).not.toHaveProperty('parked');
  });

  it('R29 of a sender that was never heard of starts at 1', async () => {
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 0, expected: 1, gaps: [] });
    await deliver(['a2 +1']);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 0, expected: 1, gaps: [{ from: 1, to: 1 }] });
  });

  it('R29 whose message cannot be parked is reported, and only it', async () => {
    vi.spyOn(queue, 'deadLetter').mockRejectedValue(new Error('SQS is down'));
    const failed = await deliver(['a1 +1', 'a3 +1', 'a2 +1']);
    expect(failed).toEqual([`m${sends - 1}`]);
    expect((await inboxOf('a')).appliedUpTo).toBe(2);
  });
});

describe('what can never be applied', () => {
  it('R30 R29 is parked, and the mark stays before it', async () => {
    expect(await deliver(['a1 +1', { sender: 'a', seq: 2, delta: 0.5 }, 'a3 +1'])).toEqual([]);
    expect(queue.rejected).toMatchObject([{ reason: 'invalid-body' }, { reason: 'gap', eventId: 'a:3' }]);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 1, gaps: [{ from: 2, to: 2 }] });
  });

  it('R29 a sum stays what a number can hold exactly', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    await deliver([{ sender: 'a', seq: 1, delta: most }]);
    await deliver(['a2 +1', 'a3 -5']);
    expect(queue.rejected).toMatchObject([{ reason: 'balance-limit', eventId: 'a:2' }, { reason: 'gap' }]);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 1, sums: { total: most } });
    await deliver([
      { sender: 'a', seq: 2, delta: -most },
      { sender: 'a', seq: 3, delta: -most },
      { sender: 'a', seq: 4, delta: most },
    ]);
    expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 4, sums: { total: 0 } });
  });
});

it('R29 two invocations with the same run apply it once', async () => {
  const run = ['a1 +1', 'a2 +1', 'a3 +1'];
  const all = await Promise.all([deliver(run), deliver(run), deliver(run)]);
  expect(all.flat()).toEqual([]);
  expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 3, sums: { total: 3 } });
  expect(queue.rejected).toEqual([]);
});

it('R27 R29 a store that is down fails that sender only', async () => {
  send.mockImplementation((...args: unknown[]) => {
    const { input } = args[0] as { input: { Key: { pk: string } } };
    if (input.Key.pk.endsWith(':a')) throw Object.assign(new Error('down'), { name: 'TimeoutError' });
    return real(...args);
  });
  const failed = await deliver(['a1 +1', 'b1 +1', 'a2 +1']);
  expect(failed).toEqual([`m${sends - 2}`, `m${sends}`].toSorted());
  vi.restoreAllMocks();
  expect((await inboxOf('b')).appliedUpTo).toBe(1);
});

it('R10 R29 a run whose answer was lost knows itself', async () => {
  send.mockImplementationOnce(async (...args: unknown[]) => {
    await real(...args);
    throw Object.assign(new Error('reset'), { name: 'TimeoutError' });
  });
  await deliver(['a1 +1', 'a2 +1', 'a4 +1']);
  expect(counted()).toEqual(['new', 'new', 'gap']);
  expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 2, sums: { total: 2 } });
});

it('R29 two sources whose senders have one name keep their own order in one batch', async () => {
  const sources = ['alice', 'bob'];
  expect(await deliver(['a1 +1', 'a1 +10', 'a2 +1', 'a2 +10'], DELTAS, { sources })).toEqual([]);
  expect(await inboxOf('a', 'alice')).toMatchObject({ appliedUpTo: 2, sums: { total: 2 } });
  expect(await inboxOf('a', 'bob')).toMatchObject({ appliedUpTo: 2, sums: { total: 20 } });
});

it('R27 R29 a batch whose time is up is left untouched', async () => {
  expect(await deliver(['a1 +1', 'b1 +1'], DELTAS, { remaining: 100 })).toEqual([`m${sends - 1}`, `m${sends}`]);
  expect(requests()).toBe(0);
});

it('R29 what came too early is applied after all where the mark has moved before it was noted', async () => {
  send
    .mockImplementationOnce((...args: unknown[]) => real(...args))
    .mockImplementationOnce(async (...args: unknown[]) => {
      await deliver(['a1 +1', 'a2 +1']);
      return real(...args);
    });
  expect(await deliver(['a3 +1'])).toEqual([]);
  expect(queue.rejected).toEqual([]);
  expect(await inboxOf('a')).toMatchObject({ appliedUpTo: 3, gaps: [], sums: { total: 3 } });
});
