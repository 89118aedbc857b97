import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import { viewInbox } from '../../lib/protocol/inbox.ts';
import { inboxKey } from '../../lib/protocol/sequence.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { readInboxItem } from '../../lib/store/inbox-item.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { queueEvent, RecordingQueue } from '../setup/queue-event.ts';

const Body = z.object({ sender: z.string(), seq: z.int().min(1) });
type Body = z.infer<typeof Body>;

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const inboxOf = async (sender: string) => {
  const Key = inboxKey({ consumer: 'chaos', source: '', sender });
  const { Item } = await store.client.send(new GetCommand({ TableName: store.table, Key, ConsistentRead: true }));
  return viewInbox(Item && readInboxItem(Item));
};

/** The same chaos in every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Drops some, doubles some and moves some back. */
function shuffled<Message>(messages: readonly Message[], random: () => number): readonly Message[] {
  return messages
    .flatMap((message) => (random() < 0.05 ? [] : random() < 0.1 ? [message, message] : [message]))
    .map((message, index) => ({ message, at: index + (random() < 0.05 ? 3 : 0) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ message }) => message);
}

it('R29 1,000 messages of 20 senders, dropped, doubled and reordered, are applied once each and in order', async () => {
  const each = 50;
  const random = chance(7);
  const names = Array.from('abcdefghijklmnopqrst');
  const handler = sequenceConsumer<Body>({
    ...{ consumer: 'chaos', body: Body, engine: createEngine({ store }), queue: new RecordingQueue() },
    sequence: ({ sender, seq }) => ({ sender, seq }),
    effect: { fold: (seen, { seq }) => [...((seen as number[]) ?? []), seq] },
  });
  const send = vi.spyOn(store.client, 'send');
  let sent = 0;
  for (let round = 1; ; round++) {
    const marks = await Promise.all(names.map(async (name) => (await inboxOf(name)).appliedUpTo));
    if (marks.every((mark) => mark === each)) break;
    expect(round).toBeLessThan(40);
    // What a careless sender does: what is not acknowledged again, from the mark on.
    const due = names.flatMap((sender, index) => {
      const mark = marks[index] ?? 0;
      const window = Math.min(25, each - mark);
      return Array.from({ length: window }, (_, ahead) => ({ sender, seq: mark + ahead + 1 }));
    });
    const messages = shuffled(due, random);
    sent += messages.length;
    for (let from = 0; from < messages.length; from += 10) {
      const batch = messages
        .slice(from, from + 10)
        .map((body, at) => ({ id: `m${sent}-${from + at}`, body, group: body.sender }));
      await handler(queueEvent(...batch), lambdaContext());
    }
  }
  const states = await Promise.all(names.map(async (name) => (await inboxOf(name)).state));
  expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(
    new Set([JSON.stringify(Array.from({ length: each }, (_, index) => index + 1))]),
  );
  console.log(
    `1,000 messages of 20 senders, sent ${sent} times, ${send.mock.calls.length} requests: each applied once, in order`,
  );
});
