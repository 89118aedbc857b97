import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import { viewInbox } from '../../lib/protocol/inbox.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInboxItem } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue } from '../setup/queue-event.ts';

const Body = z.object({ seq: z.int().min(1), state: z.any() });

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

/** Delivers one batch of messages 1, 2, … of one sender, each of which makes its state the next one. */
async function deliver(...states: readonly unknown[]) {
  const handler = sequenceConsumer({
    ...{ consumer, body: Body, engine: createEngine({ store }), queue },
    sequence: ({ seq }) => ({ sender: 'a', seq }),
    effect: { fold: (_, { state }) => state },
  });
  const messages = states.map((state, index) => ({ id: `m${index + 1}`, body: { seq: index + 1, state }, group: 'a' }));
  return failedIds(await handler(queueEvent(...messages), lambdaContext()));
}

const inbox = async () => {
  const Key = inboxKey({ consumer, source: '', sender: 'a' });
  const { Item } = await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }));
  return viewInbox(Item && readInboxItem(Item));
};

describe('a state', () => {
  it.each([
    ['that tells of a problem', { at: 1, problem: 'low battery' }],
    ['that reads like a refusal', { problem: 'insufficient-funds', detail: 'The account holds 3.' }],
    ['that is null', null],
  ])('R29 %s is a state', async (_, state) => {
    expect(await deliver('before', state)).toEqual([]);
    expect(queue.rejected).toEqual([]);
    expect(await inbox()).toMatchObject({ appliedUpTo: 2, state });
  });
});
