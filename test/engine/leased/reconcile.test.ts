import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { PENDING_SHARDS } from '../../../lib/engine/new-record.ts';
import { unknown } from '../../../lib/protocol/outside-call.ts';
import type { InProgressRecord } from '../../../lib/protocol/record.ts';
import type { Store } from '../../../lib/store/store.ts';
import { declines, doesSilently, isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, type SaleOperation, withoutReserve } from '../../setup/kiosk.ts';
import { holdBack, loseResponse, passOn } from '../../setup/meddled-store.ts';

// The reconciler goes over everything that is unfinished, so each test has tables of its own.
let store: Store;
beforeEach(async () => {
  store = await freshStore();
});

const NONE = { unsold: 100, held: 0, sold: 0 };
const ALL = { unsold: 0, held: 0, sold: 100 };

describe('the reconciler', () => {
  it.each([
    ['charged', true, ['charge 1', 'find 2']],
    ['not charged', false, ['charge 1', 'find 2', 'charge 2']],
  ])('R11 settles what its client left (%s), and the client gets the reply', async (_, done, asked) => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done });
    const { operationId } = await kiosk.record();
    expect(await kiosk.reconcile()).toEqual({ settled: 1 });
    expect([kiosk.terminal.asked, await kiosk.shelf()]).toEqual([asked, ALL]);
    expect(kiosk.counted).toEqual(['taken-over', 'reconciled-settled']);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, operation: operationId });
    expect(await kiosk.reconcile()).toEqual({});
  });

  it('R11 cancels what was declined', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    kiosk.terminal.next(isSilent, declines);
    await kiosk.sell({ key });
    expect(await kiosk.reconcile()).toEqual({ cancelled: 1 });
    expect(await kiosk.shelf()).toEqual(NONE);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 402, replayed: true });
  });

  it('C44 keeps asking, longer apart, and hands over to a person in the end', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(...Array(20).fill(isSilent));
    const key = randomUUID();
    await kiosk.sell({ key });
    const endings: unknown[] = [];
    for (let run = 2; run <= 11; run++) {
      endings.push(await kiosk.reconcile());
      kiosk.clock.advance(60_000);
    }
    expect(endings).toEqual([...Array(8).fill({ unknown: 1 }), { 'needs-attention': 1 }, {}]);
    expect(await kiosk.record()).toMatchObject({ status: 'needs_attention', attempt: 10 });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'needs-attention' });
    expect([kiosk.terminal.charges.size, kiosk.terminal.asked.length]).toEqual([0, 19]);
  });

  it('R11 lets be what is not lapsed, completed, or waits for a person', async () => {
    const kiosk = await newKiosk(store, { stock: 300, operation: (sale) => ({ ...sale, mostUnknowns: 1 }) });
    await kiosk.sell();
    kiosk.terminal.next(isSilent);
    await kiosk.sell();
    const call = stalls();
    kiosk.terminal.next(call.act);
    void kiosk.newEnvironment().sell();
    await call.reached;
    const before = await kiosk.records();
    kiosk.clock.advance(11_999);
    expect(await kiosk.reconcile()).toEqual({});
    expect(await kiosk.records()).toEqual(before);
    kiosk.clock.advance(1);
    expect(await kiosk.reconcile()).toEqual({ settled: 1 });
  });

  it('R11 believes the record, not a stale index', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    const [reply, late] = [holdBack(), kiosk.newEnvironment()];
    // The eight shards are asked first; the ninth call looks at the record that was found.
    late.store.meddle(...Array(8).fill(passOn), reply.meddling);
    const reconciling = late.reconcile();
    await reply.reached;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201 });
    const record = await kiosk.record();
    reply.letGo();
    expect(await reconciling).toEqual({});
    expect(await kiosk.record()).toEqual(record);
  });

  it('R11 is not stopped by a record that has vanished', async () => {
    const kiosk = await newKiosk(store);
    await kiosk.sellAndDie(randomUUID(), { done: true });
    const { pk } = await kiosk.record();
    kiosk.store.meddle(...Array(8).fill(passOn), async ({ send }) => {
      await store.client.send(new DeleteCommand({ TableName: store.table, Key: { pk } }));
      return send();
    });
    expect(await kiosk.reconcile()).toEqual({});
  });

  it('C45 and a retry meet the same record: one takes over, and both see the same reply', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    const late = kiosk.newEnvironment();
    const takeover = holdBack();
    late.store.meddle(...Array(9).fill(passOn), takeover.meddling);
    const reconciling = late.reconcile();
    await takeover.reached;
    const retry = await kiosk.sell({ key });
    takeover.letGo();
    expect(await reconciling).toEqual({ 'taken-by-another': 1 });
    expect(retry).toMatchObject({ status: 201, replayed: false });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, text: retry.text });
    expect([kiosk.terminal.asked, await kiosk.shelf()]).toEqual([['charge 1', 'find 2'], ALL]);
  });

  it('C45 that is faster: the retry waits for its reply', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    kiosk.terminal.next(isSilent);
    await kiosk.sell({ key });
    const asked = stalls();
    kiosk.terminal.next(asked.act);
    const reconciler = kiosk.newEnvironment();
    const reconciling = reconciler.reconcile();
    await asked.reached;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 409 });
    kiosk.store.meddle(passOn, passOn, async ({ send }) => {
      asked.letGo();
      await reconciling;
      return send();
    });
    const waited = await kiosk.sell({ key, headers: { Prefer: 'wait=5' } });
    expect(waited).toMatchObject({ status: 201, replayed: true });
    expect([await reconciling, kiosk.terminal.charges.size]).toEqual([{ settled: 1 }, 1]);
  });

  it('C45 beside another one does each operation once', async () => {
    const kiosk = await newKiosk(store, { stock: 1_000 });
    const keys = Array.from({ length: 10 }, () => randomUUID());
    for (const key of keys) {
      kiosk.terminal.next(doesSilently);
      await kiosk.sell({ key });
    }
    const runs = await Promise.all([1, 2, 3].map(() => kiosk.newEnvironment().reconcile()));
    expect(runs.reduce((sum, { settled = 0 }) => sum + settled, 0)).toBe(10);
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 1_000 });
    expect(kiosk.terminal.asked.filter((verb) => verb.startsWith('find'))).toHaveLength(10);
    for (const key of keys) expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true });
  });

  it('R10 whose takeover or booking was written but not answered goes on', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    kiosk.terminal.next(isSilent);
    await kiosk.sell({ key: 'lost' });
    const reconciler = kiosk.newEnvironment();
    reconciler.store.meddle(...Array(9).fill(passOn), loseResponse, passOn, loseResponse);
    expect(await reconciler.reconcile()).toEqual({ settled: 1 });
    expect(await kiosk.record()).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it('R11 leaves operations alone that it does not know', async () => {
    const kiosk = await newKiosk(store);
    const other = await newKiosk(store);
    await kiosk.sellAndDie(randomUUID(), { done: true });
    const before = await kiosk.record();
    expect(await kiosk.reconcile([other.operation])).toEqual({ 'not-ours': 1 });
    expect(await kiosk.record()).toEqual(before);
  });

  it('R11 is not kept from its work by many that it does not know', async () => {
    const abandoned = await newKiosk(store);
    abandoned.terminal.next(isSilent);
    await abandoned.sell();
    const record = await abandoned.record();
    for (const pendingShard of PENDING_SHARDS) {
      const copies = Array.from({ length: 25 }, (_, copy) => ({
        ...record,
        pendingShard,
        pk: `${pendingShard}#${copy}`,
      }));
      const RequestItems = { [store.table]: copies.map((Item) => ({ PutRequest: { Item } })) };
      await store.client.send(new BatchWriteCommand({ RequestItems }));
    }
    const kiosk = await newKiosk(store);
    kiosk.clock.advance(1_000);
    kiosk.terminal.next(doesSilently);
    await kiosk.sell();
    expect(await kiosk.reconcile()).toEqual({ settled: 1, 'not-ours': 201 });
  });

  it('R13 begins nothing that it could not finish in its time', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(doesSilently);
    await kiosk.sell({ key: 'time' });
    expect(await kiosk.reconcile(undefined, 10_400)).toEqual({});
    expect(await kiosk.reconcile(undefined, 10_600)).toEqual({ settled: 1 });
  });

  it('R12 that outlives its own lease commits nothing', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    kiosk.terminal.next(isSilent);
    await kiosk.sell({ key });
    const asked = stalls({ act: async () => unknown(new Error('too late')) });
    kiosk.terminal.next(asked.act);
    const reconciling = kiosk.newEnvironment().reconcile();
    await asked.reached;
    expect(((await kiosk.record()) as InProgressRecord).leaseUntil).toBe(kiosk.clock.now() + 62_000);
    kiosk.clock.advance(62_000);
    const retry = await kiosk.sell({ key });
    expect(retry).toMatchObject({ status: 201 });
    const record = await kiosk.record();
    asked.letGo();
    expect(await reconciling).toEqual({ 'taken-by-another': 1 });
    expect(await kiosk.record()).toEqual(record);
  });

  it('C44 goes on with the others when one cannot be finished', async () => {
    const broken = (sale: SaleOperation): SaleOperation => ({
      ...sale,
      settle: (phase, receipt) => {
        if (phase.intent.amount === 1) throw new Error('a bug');
        return sale.settle(phase, receipt);
      },
    });
    const kiosk = await newKiosk(store, { operation: broken });
    for (const amount of [1, 2, 3, 4, 5]) {
      kiosk.terminal.next(doesSilently);
      await kiosk.sell({ body: { amount } });
    }
    expect(await kiosk.reconcile()).toEqual({ settled: 4, unknown: 1 });
  });
});
