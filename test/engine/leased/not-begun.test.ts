import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { notBegun } from '../../../lib/protocol/outside-call.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import type { Store } from '../../../lib/store/store.ts';
import { type Act, isSilent } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, type SaleOperation, weigh, withoutReserve } from '../../setup/kiosk.ts';
import { loseResponse, passOn } from '../../setup/meddled-store.ts';

// The reconciler goes over everything that is unfinished, so each test has tables of its own.
let store: Store;
beforeEach(async () => {
  store = await freshStore();
});

describe('a call that did not begin', () => {
  const closed = async () => notBegun(new SemelError('forbidden', 'Closed.'));

  it('R14 on the first attempt frees the key', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    kiosk.terminal.next(closed);
    const first = await kiosk.sell({ key: 'free' });
    expect([first.status, first.code, first.operation.slice(0, 3)]).toEqual([403, 'forbidden', 'op_']);
    expect(await kiosk.records()).toEqual([]);
    expect(kiosk.store.calls.at(-1)).toMatchObject({ name: 'DeleteCommand' });
    expect(await kiosk.sell({ key: 'free' })).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.counted).toEqual(['released', 'new']);
  });

  // Of these, the record stays: what it holds, or what an earlier attempt may have done, must not be forgotten.
  const KEPT: [string, (sale: SaleOperation) => SaleOperation, Act[]][] = [
    ['a reservation', (sale) => sale, []],
    ['an unknown outcome before it', withoutReserve, [isSilent]],
  ];

  it.each(KEPT)('R14 with %s says so if that will pass, and lets the next one go on', async (_, operation, before) => {
    const kiosk = await newKiosk(store, { operation });
    const passing = [
      notBegun(new SemelError('store-unavailable', 'Not now.')),
      notBegun({ status: 429 }),
      notBegun({ status: 409, headers: { 'Retry-After': '1' } }),
    ];
    kiosk.terminal.next(...before, ...passing.map((answer) => async () => answer));
    const key = randomUUID();
    for (const _act of before) await kiosk.sell({ key });
    for (const status of [503, 429, 409]) {
      expect(await kiosk.sell({ key })).toMatchObject({ status });
      expect(await kiosk.record()).toMatchObject({ status: 'in_progress', leaseUntil: kiosk.clock.now() });
    }
    const { operationId, ...record } = await kiosk.record();
    expect(record).toMatchObject({ unknowns: before.length });
    expect(kiosk.store.calls.map(({ name }) => name)).not.toContain('DeleteCommand');
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, operation: operationId });
    expect(await kiosk.shelf()).toMatchObject({ held: 0 });
  });

  it.each(KEPT)('R14 with %s is no last word: the operation goes on', async (_, operation, before) => {
    const kiosk = await newKiosk(store, { operation });
    for (const answer of [notBegun(new SemelError('forbidden', 'Closed.')), notBegun({ status: 409 })]) {
      kiosk.terminal.next(...before, async () => answer);
      const key = randomUUID();
      for (const _act of before) await kiosk.sell({ key, body: { amount: 1 } });
      const told = await kiosk.sell({ key, body: { amount: 1 } });
      expect([told.status, told.code, JSON.parse(told.text).retryable]).toEqual([503, 'outcome-unknown', true]);
      const record = (await kiosk.records()).find(({ operationId }) => operationId === told.operation);
      expect(record).toMatchObject({ status: 'in_progress', unknowns: before.length + 1 });
      kiosk.clock.advance(5_000);
      expect(await kiosk.reconcile()).toEqual({ settled: 1 });
      expect(await kiosk.sell({ key, body: { amount: 1 } })).toMatchObject({ status: 201, replayed: true });
    }
  });

  it('R14 with a reservation, time after time, is for a person in the end', async () => {
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...sale, mostUnknowns: 2 }) });
    kiosk.terminal.next(closed, closed);
    expect(await kiosk.sell({ key: 'k' })).toMatchObject({ code: 'outcome-unknown' });
    expect(await kiosk.sell({ key: 'k' })).toMatchObject({ code: 'needs-attention' });
    expect(kiosk.terminal.charges.size).toBe(0);
  });

  it('R10 whose release was done but not answered is free all the same', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    kiosk.terminal.next(closed);
    kiosk.store.meddle(passOn, loseResponse);
    expect(await kiosk.sell({ key: 'lost' })).toMatchObject({ status: 403 });
    expect(await kiosk.sell({ key: 'lost' })).toMatchObject({ status: 201 });
  });

  it('R14 while it is in doubt whether a checkpoint was committed keeps the record', async () => {
    const kiosk = await newKiosk(store, {
      operation: (sale, id) => ({
        ...withoutReserve(sale),
        call: async (phase) => {
          if (phase.recoveryPoint !== undefined) return sale.call(phase);
          kiosk.store.meddle(...Array(500).fill(loseResponse));
          await phase.checkpoint('weighed', { effects: [weigh(id)] }).catch(() => undefined);
          kiosk.store.calm();
          return notBegun(new SemelError('store-unavailable', 'Not now.'));
        },
      }),
    });
    expect(await kiosk.sell({ key: 'doubt' })).toMatchObject({ status: 503, code: 'store-unavailable' });
    // It was committed: a release would have forgotten the phase, and the next attempt weighed once more.
    expect(await kiosk.record()).toMatchObject({ recoveryPoint: 'weighed' });
    kiosk.clock.advance(60_000);
    expect(await kiosk.sell({ key: 'doubt' })).toMatchObject({ status: 201 });
    expect(await kiosk.shelf()).toMatchObject({ weighed: 1 });
  });
});
