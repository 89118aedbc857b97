import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import type { PlanNumbered } from '../../lib/engine/sequence-run.ts';
import { viewInbox } from '../../lib/protocol/inbox.ts';
import { type Effect, refuse } from '../../lib/protocol/plan.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInboxItem } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue } from '../setup/queue-event.ts';

const Body = z.object({ seq: z.int().min(1), add: z.int() });
type Body = z.infer<typeof Body>;

let store: Store;
let queue: RecordingQueue;
let consumer: string;
let sends = 0;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  queue = new RecordingQueue();
  consumer = crypto.randomUUID();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const key = () => ({ pk: consumer, sk: 'total' });

/** Adds to an item of the application: not idempotent by itself. */
const adding = (add: number, most = 1_000): Effect => ({
  Update: {
    Key: key(),
    UpdateExpression: 'ADD amount :add',
    ConditionExpression: 'attribute_not_exists(amount) OR amount <= :most',
    ExpressionAttributeValues: { ':add': add, ':most': most - add },
  },
  refuse: () => refuse('balance-limit', 'It is full.'),
});
const plan: PlanNumbered<Body> = ({ add }) => ({ effects: [adding(add)] });

/** Delivers `[seq, add]` pairs of one sender in one batch. */
async function deliver(pairs: readonly (readonly [number, number])[], planned = plan) {
  const handler = sequenceConsumer<Body>({
    ...{ consumer, body: Body, engine: createEngine({ store }), queue },
    sequence: ({ seq }) => ({ sender: 'a', seq }),
    effect: { plan: planned },
  });
  const messages = pairs.map(([seq, add]) => ({ id: `m${++sends}`, body: { seq, add }, group: 'a' }));
  return failedIds(await handler(queueEvent(...messages), lambdaContext()));
}

const total = async (): Promise<number> =>
  (await store.client.send(new GetCommand({ TableName: store.dataTable, Key: key(), ConsistentRead: true }))).Item
    ?.amount ?? 0;

const inbox = async () => {
  const Key = inboxKey({ consumer, source: '', sender: 'a' });
  const { Item } = await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }));
  return viewInbox(Item && readInboxItem(Item));
};

describe('numbered messages with effects of their own', () => {
  it('R29 advance the mark with each, one transaction per message', async () => {
    const send = vi.spyOn(store.client, 'send');
    expect(
      await deliver([
        [1, 10],
        [2, 5],
        [3, 2],
      ]),
    ).toEqual([]);
    expect(send).toHaveBeenCalledTimes(3);
    expect([await total(), (await inbox()).appliedUpTo]).toEqual([17, 3]);
  });

  it('R29 are decided one by one: duplicates are acknowledged, gaps are parked', async () => {
    await deliver([
      [1, 10],
      [2, 5],
      [2, 5],
      [4, 1],
      [1, 10],
      [3, 2],
    ]);
    expect([await total(), (await inbox()).appliedUpTo]).toEqual([17, 3]);
    expect(queue.rejected).toMatchObject([{ reason: 'gap', eventId: 'a:4' }]);
    await deliver([
      [2, 5],
      [4, 1],
    ]);
    expect([await total(), await inbox()]).toMatchObject([18, { appliedUpTo: 4, gaps: [] }]);
  });

  it('R29 a redelivered batch applies nothing', async () => {
    const pairs = [
      [1, 10],
      [2, 5],
    ] as const;
    await deliver(pairs);
    expect(await deliver(pairs)).toEqual([]);
    expect(await total()).toBe(15);
  });

  it('R30 what an effect refuses is parked, and the mark stays before it', async () => {
    await deliver([
      [1, 999],
      [2, 5],
      [3, 1],
    ]);
    expect(queue.rejected).toMatchObject([
      { reason: 'balance-limit', eventId: 'a:2' },
      { reason: 'gap', eventId: 'a:3' },
    ]);
    expect([await total(), (await inbox()).appliedUpTo]).toEqual([999, 1]);
  });

  it('R30 a handler that sees its own effect of an earlier delivery does not refuse it', async () => {
    const once: PlanNumbered<Body> = async ({ add }, { read }) =>
      (await read.get(key())) === undefined ? { effects: [adding(add)] } : refuse('message-refused', 'It is there.');
    await deliver([[1, 10]], once);
    expect(await deliver([[1, 10]], once)).toEqual([]);
    expect(queue.rejected).toEqual([]);
    await deliver([[2, 10]], once);
    expect(queue.rejected).toMatchObject([{ reason: 'message-refused', eventId: 'a:2' }]);
  });

  it('C2 are planned again on what arrived, not on what the first plan made of it', async () => {
    const seen: number[] = [];
    const again: PlanNumbered<Body> = (body, { event }) => {
      seen.push(body.add);
      body.add = 99;
      return { effects: [event.round === 1 ? { ...adding(10, 0), refuse: () => undefined } : adding(2)] };
    };
    await deliver([[1, 2]]);
    expect(await deliver([[2, 2]], again)).toEqual([]);
    expect([seen, await total()]).toEqual([[2, 2], 4]);
  });

  it('R29 two invocations at once apply each once', async () => {
    const pairs = [
      [1, 1],
      [2, 1],
      [3, 1],
    ] as const;
    const all = await Promise.all([deliver(pairs), deliver(pairs), deliver(pairs)]);
    expect(all.flat()).toEqual([]);
    expect([await total(), (await inbox()).appliedUpTo]).toEqual([3, 3]);
  });

  it('R10 R29 a transaction whose answer was lost knows itself', async () => {
    const real = store.client.send.bind(store.client) as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(store.client, 'send').mockImplementationOnce(async (...args: unknown[]) => {
      await real(...args);
      throw Object.assign(new Error('reset'), { name: 'TimeoutError' });
    });
    expect(
      await deliver([
        [1, 10],
        [2, 5],
      ]),
    ).toEqual([]);
    expect([await total(), (await inbox()).appliedUpTo]).toEqual([15, 2]);
  });
});
