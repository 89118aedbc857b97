import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { OUTBOX_SHARDS, outboxItem } from '../../lib/protocol/outbox.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { outboxSweeper } from '../../lib/queue/outbox-sweeper.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failWith, meddledStore } from '../setup/meddled-store.ts';

/** Puts an event into the outbox of a store, as if it had been there for so many milliseconds. */
async function waiting({ client, table }: Store, id: string, age: number) {
  const item = outboxItem({ id, type: 't', body: { id }, createdAt: milliseconds(Date.now() - age) });
  await client.send(new PutCommand({ TableName: table, Item: item }));
  return item;
}

const leftIn = async ({ client, table }: Store) =>
  ((await client.send(new ScanCommand({ TableName: table, ConsistentRead: true }))).Items ?? [])
    .map(({ pk }) => String(pk).replace('outbox#', ''))
    .toSorted();

const passing = async ({ eventId = '' }: { eventId?: string }) => eventId;

describe('the sweeper', () => {
  it('R32 sends what is left over, after a minute and not before', async () => {
    const store = await freshStore();
    const old = ['evt_old1', 'evt_old2', 'evt_old3', 'evt_old4'];
    for (const id of old) await waiting(store, id, 61_000);
    await waiting(store, 'evt_young', 50_000);
    const send = vi.fn(passing);
    const sweep = outboxSweeper({ engine: createEngine({ store }), send });
    expect(await sweep({}, lambdaContext())).toEqual({ sent: 4 });
    expect(send.mock.calls.map(([{ eventId }]) => eventId).toSorted()).toEqual(old);
    expect(await leftIn(store)).toEqual(['evt_young']);
    expect(await sweep({}, lambdaContext())).toEqual({ sent: 0 });
  });

  it('R32 is not kept from the others by a page of events that cannot be sent, and fails in the end', async () => {
    const store = await freshStore();
    // The last character alone decides about the shard, so all of these are in one, the good one behind the others.
    const [poison, good] = [Array.from({ length: 50 }, (_, index) => `evt_poison_${index}_0`), 'evt_good_0'];
    for (const id of poison) await waiting(store, id, 200_000);
    await waiting(store, good, 100_000);
    const count = vi.fn();
    const send = vi.fn(async (event: { eventId?: string }) => {
      if (poison.includes(event.eventId ?? '')) throw new Error('too long for SQS');
      return passing(event);
    });
    const sweep = outboxSweeper({ engine: createEngine({ store, count }), send });
    await expect(sweep({}, lambdaContext())).rejects.toThrow(/^50 /);
    expect(send).toHaveBeenCalledWith(expect.objectContaining({ eventId: good }));
    expect(count.mock.calls.filter(([counter]) => counter === 'unsent-event')).toHaveLength(50);
    expect(await leftIn(store)).toEqual(poison.toSorted());
  });

  it('R32 goes on after an event that a newer version wrote', async () => {
    const store = await freshStore();
    const newer = { ...(await waiting(store, 'evt_newer_0', 200_000)), schemaVersion: 99 };
    await store.client.send(new PutCommand({ TableName: store.table, Item: newer }));
    await waiting(store, 'evt_good_0', 100_000);
    const send = vi.fn(passing);
    await expect(outboxSweeper({ engine: createEngine({ store }), send })({}, lambdaContext())).rejects.toThrow(/^1 /);
    expect(await leftIn(store)).toEqual(['evt_newer_0']);
  });

  it('R32 goes on with the other shards when one cannot be read', async () => {
    const store = meddledStore(await freshStore());
    for (const [index] of OUTBOX_SHARDS.entries()) await waiting(store, `evt_${index}`, 61_000);
    store.meddle(failWith('AccessDeniedException'));
    const send = vi.fn(passing);
    await expect(outboxSweeper({ engine: createEngine({ store }), send })({}, lambdaContext())).rejects.toThrow();
    expect(send).toHaveBeenCalledTimes(OUTBOX_SHARDS.length - 1);
  });

  it('R32 finds events in every shard', () => {
    const ids = Array.from({ length: 16 }, (_, index) => `evt_${index.toString(16)}`);
    const shards = ids.map((id) => outboxItem({ id, type: 't', body: 1, createdAt: milliseconds(0) }).pendingShard);
    expect(new Set(shards)).toEqual(new Set(OUTBOX_SHARDS));
  });
});
