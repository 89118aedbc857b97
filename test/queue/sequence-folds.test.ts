import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import type { SequenceEffect } from '../../lib/engine/sequence-run.ts';
import { viewInbox } from '../../lib/protocol/inbox.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInboxItem } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue } from '../setup/queue-event.ts';

const Body = z.object({ seq: z.int().min(1), state: z.any() });
type Body = z.infer<typeof Body>;

let store: Store;
let queue: RecordingQueue;
let consumer: string;
beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  queue = new RecordingQueue();
  consumer = crypto.randomUUID();
});

/** Each message brings the next state, or is refused. */
const BROUGHT: SequenceEffect<Body> = {
  fold: (_, { state }) => (state === 'none left' ? refuse('insufficient-funds', 'No.') : state),
};

const deliver = (...states: readonly unknown[]) => deliverTo(BROUGHT, ...states);

/** Delivers one batch of messages 1, 2, … of one sender. */
async function deliverTo(effect: SequenceEffect<Body>, ...states: readonly unknown[]) {
  const handler = sequenceConsumer<Body>({
    ...{ consumer, body: Body, engine: createEngine({ store }), queue, effect },
    sequence: ({ seq }) => ({ sender: 'a', seq }),
  });
  const messages = states.map((state, index) => ({ id: `m${index + 1}`, body: { seq: index + 1, state }, group: 'a' }));
  return failedIds(await handler(queueEvent(...messages), lambdaContext()));
}

const inbox = async () => {
  const Key = inboxKey({ consumer, source: '', sender: 'a' });
  const { Item } = await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }));
  return viewInbox(Item && readInboxItem(Item));
};

const nested = (depth: number): unknown => (depth === 0 ? 1 : { s: nested(depth - 1) });

it('R30 a fold may refuse', async () => {
  expect(await deliver('before', 'none left')).toEqual([]);
  expect(queue.rejected).toMatchObject([{ reason: 'insufficient-funds', eventId: 'a:2' }]);
  expect(await inbox()).toMatchObject({ appliedUpTo: 1, state: 'before' });
});

describe('a state', () => {
  it.each([
    ['that tells of a problem', { at: 1, problem: 'low battery' }],
    ['that reads like a refusal', { problem: 'insufficient-funds', detail: 'The account holds 3.' }],
    ['that is null', null],
    ['of the smallest number that DynamoDB takes', -1e-130],
    ['of the largest', { sum: Number.MAX_SAFE_INTEGER }],
    ['as deep as DynamoDB takes', nested(31)],
  ])('R29 %s is a state', async (_, state) => {
    expect(await deliver('before', state)).toEqual([]);
    expect(queue.rejected).toEqual([]);
    expect(await inbox()).toMatchObject({ appliedUpTo: 2, state });
  });

  it.each([
    ['a number that becomes 0', [{ sum: -9.99e-131 }], /-9.99e-131/],
    ['levels beyond its limit', nested(32), /31 levels/],
    ['a member without a name', { '': 1 }, /no name/],
  ])('R29 R30 that DynamoDB never takes, for %s, is refused once and holds up nothing', async (_, state, detail) => {
    expect(await deliver('before', state, 'after')).toEqual([]);
    expect(queue.rejected).toMatchObject([
      { messageId: 'm2', eventId: 'a:2', reason: 'message-refused', detail: expect.stringMatching(detail) },
      { messageId: 'm3', reason: 'gap' },
    ]);
    expect(await inbox()).toMatchObject({ appliedUpTo: 1, state: 'before' });
  });
});

it.each<[string, SequenceEffect<Body>]>([
  ['a fold', { fold: (_, body) => takeFrom(body) }],
  ['deltas', { deltas: (body) => ({ sum: takeFrom(body) }) }],
])('C2 %s that runs again sees what arrived, not what it made of it', async (_, effect) => {
  const real = store.client.send.bind(store.client) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(store.client, 'send').mockImplementation(async (...args: unknown[]) => {
    vi.restoreAllMocks();
    // Somebody else applies the first message, once the run was planned without it.
    const answer = args[0] instanceof GetCommand ? await real(...args) : undefined;
    await deliverTo(effect, 1);
    return answer ?? real(...args);
  });
  expect(await deliverTo(effect, 1, 1)).toEqual([]);
  const { state, sums } = await inbox();
  expect(state ?? sums.sum).toBe('fold' in effect ? 1 : 2);
});

function takeFrom(body: Body): number {
  const taken = body.state;
  body.state = 0;
  return taken;
}
