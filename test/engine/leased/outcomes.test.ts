import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { declined, succeeded } from '../../../lib/protocol/outside-call.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import type { InProgressRecord } from '../../../lib/protocol/record.ts';
import { seconds } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { doesSilently, isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, type SaleOperation, withoutLookUp, withoutReserve } from '../../setup/kiosk.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

describe('an unknown outcome', () => {
  it.each([
    ['silence', isSilent],
    ['a throw', () => Promise.reject(new Error('reset'))],
    ['a problem thrown', () => Promise.reject(new SemelError('card-declined', 'Thrown by whom?'))],
  ])('R15 by %s is 503, is not stored, and the next request goes on at once', async (_, act) => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(act);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 503, code: 'outcome-unknown', operation: expect.stringMatching(/^op_/) });
    expect(first.headers['retry-after']).toBe('1');
    expect(JSON.parse(first.text)).toMatchObject({ retryable: true, operation: first.operation });
    const { leaseUntil } = (await kiosk.record()) as InProgressRecord;
    expect(leaseUntil).toBe(kiosk.clock.now());
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, operation: first.operation });
    expect(kiosk.counted).toEqual(['unknown', 'taken-over', 'new']);
  });

  it('R14 is never released, on whatever attempt', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    kiosk.terminal.next(isSilent, isSilent, isSilent);
    for (const unknowns of [1, 2, 3]) {
      await kiosk.sell({ key: 'r14-unknown' });
      expect(await kiosk.record()).toMatchObject({ status: 'in_progress', attempt: unknowns, unknowns });
      kiosk.clock.advance(10_000);
    }
  });

  it('C44 of work that was done ends in one charge', async () => {
    const kiosk = await newKiosk(store, { operation: withoutLookUp });
    kiosk.terminal.next(doesSilently, doesSilently);
    const key = randomUUID();
    for (const status of [503, 503, 201]) {
      expect(await kiosk.sell({ key })).toMatchObject({ status });
      kiosk.clock.advance(10_000);
    }
    expect([kiosk.terminal.charges.size, await kiosk.shelf()]).toEqual([1, { unsold: 0, held: 0, sold: 100 }]);
  });

  it('R15 rests longer each time, and says for how long', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(...Array(6).fill(isSilent));
    const key = randomUUID();
    const rests: unknown[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      const { headers } = await kiosk.sell({ key });
      const { leaseUntil } = (await kiosk.record()) as InProgressRecord;
      rests.push([headers['retry-after'], leaseUntil - kiosk.clock.now()]);
      kiosk.clock.advance(5_000);
    }
    expect(rests).toEqual([
      ['1', 0],
      ['1', 1_000],
      ['2', 2_000],
      ['4', 4_000],
      ['5', 5_000],
      ['5', 5_000],
    ]);
  });

  it.each([
    [10, {}],
    [3, { mostUnknowns: 3 }],
  ])('R15 for the %i. time is handed to a person, and never "failed"', async (most, limits) => {
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...sale, ...limits }) });
    kiosk.terminal.next(...Array(most).fill(isSilent));
    const key = randomUUID();
    const codes: unknown[] = [];
    for (let attempt = 1; attempt <= most; attempt++) {
      codes.push((await kiosk.sell({ key })).code);
      kiosk.clock.advance(5_000);
    }
    expect(codes).toEqual([...Array(most - 1).fill('outcome-unknown'), 'needs-attention']);
    const record = await kiosk.record();
    expect(record).toMatchObject({ status: 'needs_attention', reason: expect.stringContaining(`${most} times`) });
    expect(record).toMatchObject({ reason: expect.stringMatching(/ in a row: Error$/) });
    expect(record).not.toHaveProperty('expiresAt');
    const later = await kiosk.sell({ key });
    expect(later).toMatchObject({ status: 503, code: 'needs-attention', operation: record.operationId });
    expect(later.headers['retry-after']).toBeUndefined();
    expect(JSON.parse(later.text).retryable).toBe(false);
    expect(await kiosk.sell({ key, body: { amount: 1 } })).toMatchObject({ status: 422 });
    expect([kiosk.terminal.charges.size, kiosk.counted.at(-2)]).toEqual([0, 'needs-attention']);
  });

  it('C16 by a timeout while the call still runs: the key is not released, and there is one effect', async () => {
    const time = new AbortController();
    const abortAfter = (duration: number) => (duration === 8_000 ? time.signal : new AbortController().signal);
    const kiosk = await newKiosk(store, { surroundings: { abortAfter } });
    const call = stalls();
    kiosk.terminal.next(call.act);
    const key = randomUUID();
    const selling = kiosk.sell({ key });
    await call.reached;
    time.abort(new Error('time is up'));
    expect(await selling).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(await kiosk.record()).toMatchObject({ status: 'in_progress', unknowns: 1 });
    call.letGo();
    const { operationId } = await kiosk.record();
    expect(await kiosk.sell({ key, remaining: 20_000 })).toMatchObject({ status: 201, operation: operationId });
    expect([kiosk.terminal.charges.size, (await kiosk.shelf()).sold]).toEqual([1, 100]);
  });
});

describe('a provider that does not dedupe', () => {
  const onceOnly = (sale: SaleOperation): SaleOperation => ({ ...sale, atMostOnce: true });

  it('C44 is called at most once: a later attempt only asks', async () => {
    const kiosk = await newKiosk(store, { operation: onceOnly });
    kiosk.terminal.next(isSilent);
    const key = randomUUID();
    for (const status of [503, 503]) expect(await kiosk.sell({ key })).toMatchObject({ status });
    kiosk.clock.advance(10_000);
    kiosk.terminal.nextFound(async () => succeeded('receipt after all'));
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, text: '{"receipt":"receipt after all"}' });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2', 'find 3']);
  });

  it('C44 ends with a person where it cannot be asked', async () => {
    const kiosk = await newKiosk(store, {
      operation: (sale) => ({ ...onceOnly(withoutLookUp(sale)), mostUnknowns: 2 }),
    });
    kiosk.terminal.next(doesSilently);
    const key = randomUUID();
    await kiosk.sell({ key });
    expect(await kiosk.sell({ key })).toMatchObject({ code: 'needs-attention' });
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
  });

  it('C44 any more, since its retention is over, is only asked', async () => {
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...sale, calledAgainFor: seconds(60) }) });
    kiosk.terminal.next(isSilent, isSilent);
    const key = randomUUID();
    await kiosk.sell({ key });
    kiosk.clock.advance(59_999);
    await kiosk.sell({ key });
    kiosk.clock.advance(1_000);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2', 'charge 2', 'find 3']);
  });
});

describe('a look-up', () => {
  it('R16 that says "declined" cancels', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(isSilent);
    await kiosk.sell({ key: 'look' });
    kiosk.terminal.nextFound(async () => declined('The card was stolen.'));
    expect(await kiosk.sell({ key: 'look' })).toMatchObject({ status: 402, code: 'card-declined' });
    expect(await kiosk.shelf()).toEqual({ unsold: 100, held: 0, sold: 0 });
  });

  it('R11 that fails is unknown, and nothing is called again', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(isSilent);
    await kiosk.sell({ key: 'look-fails' });
    kiosk.terminal.nextFound(isSilent);
    expect(await kiosk.sell({ key: 'look-fails' })).toMatchObject({ code: 'outcome-unknown' });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2']);
    expect(await kiosk.record()).toMatchObject({ unknowns: 2 });
  });
});
