import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { notBegun } from '../../../lib/protocol/outside-call.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import type { InProgressRecord } from '../../../lib/protocol/record.ts';
import { milliseconds } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, withoutLookUp, withoutReserve } from '../../setup/kiosk.ts';
import { holdBack, loseResponse, passOn } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

describe('a lapsed lease', () => {
  it('C4 is taken over: one run, attempt 2, the same operation id', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const left = await kiosk.record();
    const reply = await kiosk.sell({ key });
    expect(reply).toMatchObject({ status: 201, replayed: false, operation: left.operationId });
    expect(await kiosk.record()).toMatchObject({ status: 'completed', attempt: 2, operationId: left.operationId });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2', 'charge 2']);
    expect([...kiosk.terminal.charges.keys()]).toEqual([left.operationId]);
    expect(kiosk.counted).toEqual(['taken-over', 'new']);
  });

  it('C4 is not taken over a millisecond earlier', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    kiosk.clock.advance(-1);
    const early = await kiosk.sell({ key });
    expect([early.status, early.headers['retry-after']]).toEqual([409, '1']);
    kiosk.clock.advance(1);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201 });
  });

  it.each([
    ['asks what the first one did', {}, ['charge 1', 'find 2']],
    ['calls again under the same id', { operation: withoutLookUp }, ['charge 1', 'charge 2']],
  ])('C5 of one that charged and crashed %s: one charge', async (_, options, asked) => {
    const kiosk = await newKiosk(store, options);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.terminal.asked).toEqual(asked);
    expect(kiosk.terminal.charges.size).toBe(1);
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100 });
  });

  it('R11 keeps identity, intent and first-seen time, and reserves nothing again', async () => {
    let reserved = 0;
    const kiosk = await newKiosk(store, {
      operation: (sale) => ({
        ...sale,
        reserve: (phase, round) => {
          reserved++;
          return sale.reserve?.(phase, round) ?? { effects: [] };
        },
      }),
    });
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const first = (await kiosk.record()) as InProgressRecord;
    const call = stalls();
    kiosk.terminal.next(call.act);
    const selling = kiosk.sell({ key, headers: { 'Idempotency-Attempt': '2' } });
    await call.reached;
    const second = (await kiosk.record()) as InProgressRecord;
    const { ownerToken, leaseUntil } = second;
    expect(ownerToken).not.toBe(first.ownerToken);
    expect(leaseUntil).toBe(kiosk.clock.now() + 12_000);
    expect(second).toEqual({ ...first, attempt: 2, ownerToken, leaseUntil });
    call.letGo();
    expect(await selling).toMatchObject({ status: 201 });
    expect(reserved).toBe(1);
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100 });
  });

  it('R7 is not taken over by another request', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const before = await kiosk.record();
    expect(await kiosk.sell({ key, body: { amount: 1 } })).toMatchObject({ status: 422 });
    expect(await kiosk.record()).toEqual(before);
  });

  it('R10 whose takeover was written but not answered is ours', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    kiosk.store.meddle(passOn, loseResponse);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: false });
    expect(await kiosk.record()).toMatchObject({ attempt: 2 });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2']);
  });

  it('R38 keeps the correlation id that the operation was first known by', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    kiosk.terminal.next(isSilent, isSilent);
    const known: unknown[] = [];
    for (const id of ['first', 'second', 'third']) {
      await kiosk.sell({ key, headers: { 'X-Correlation-Id': id } });
      const { status, attempt, correlationId } = await kiosk.record();
      known.push([status, attempt, correlationId]);
      kiosk.clock.advance(5_000);
    }
    const expected = ['in_progress', 'in_progress', 'completed'].map((status, index) => [status, index + 1, 'first']);
    expect(known).toEqual(expected);
  });

  it('C51 of one that charged, then a clean failure: the operation id survives, never a second charge', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    kiosk.terminal.nextFound(async () => notBegun(new SemelError('forbidden', 'The provider locked us out.')));
    const second = await kiosk.sell({ key });
    expect(second).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(await kiosk.record()).toMatchObject({ status: 'in_progress', attempt: 2, operationId: second.operation });
    const third = await kiosk.sell({ key });
    expect(third).toMatchObject({ status: 201, operation: second.operation });
    expect([...kiosk.terminal.charges.keys()]).toEqual([second.operation]);
  });
});

describe('two who find the same lapsed record', () => {
  it('R11 are one who takes over and one who is told to wait', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const call = stalls();
    kiosk.terminal.next(call.act);
    const [a, b] = [kiosk.newEnvironment(), kiosk.newEnvironment()];
    const [held, other] = [holdBack(), holdBack()];
    a.store.meddle(passOn, held.meddling);
    b.store.meddle(passOn, other.meddling);
    const selling = [a.sell({ key }), b.sell({ key })];
    await Promise.all([held.reached, other.reached]);
    held.letGo();
    await call.reached;
    other.letGo();
    expect(await selling[1]).toMatchObject({ status: 409, code: 'request-in-flight' });
    call.letGo();
    expect(await selling[0]).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2', 'charge 2']);
  });

  it('C6 of whom the first finishes between the second’s look and its write: the second replays', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    const late = kiosk.newEnvironment();
    const takeover = holdBack();
    late.store.meddle(passOn, takeover.meddling);
    const second = late.sell({ key });
    await takeover.reached;
    const first = await kiosk.sell({ key });
    takeover.letGo();
    expect(await second).toMatchObject({ status: 201, replayed: true, text: first.text, operation: first.operation });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2']);
  });

  it('R11 of whom the first rested meanwhile: the second takes over from there', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const late = kiosk.newEnvironment();
    const takeover = holdBack();
    late.store.meddle(passOn, takeover.meddling);
    const second = late.sell({ key });
    await takeover.reached;
    kiosk.terminal.next(isSilent);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'outcome-unknown' });
    takeover.letGo();
    expect(await second).toMatchObject({ status: 201 });
    expect(await kiosk.record()).toMatchObject({ attempt: 3 });
  });
});

describe('an owner that is late but alive', () => {
  it('R11 keeps its record when it extends the lease before the takeover is written', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const call = stalls({
      act: async (phase, charge) => {
        await phase.extend(milliseconds(30_000));
        return charge();
      },
    });
    kiosk.terminal.next(call.act);
    const first = kiosk.sell({ key });
    await call.reached;
    kiosk.clock.advance(12_000);
    const late = kiosk.newEnvironment();
    const takeover = holdBack();
    late.store.meddle(passOn, takeover.meddling);
    const booking = holdBack();
    kiosk.store.meddle(passOn, booking.meddling);
    const second = late.sell({ key });
    await takeover.reached;
    call.letGo();
    await booking.reached;
    takeover.letGo();
    expect(await second).toMatchObject({ status: 409, code: 'request-in-flight' });
    booking.letGo();
    expect(await first).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
  });

  it('R14 loses its record when somebody removes it: the next claims anew', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    const { pk, operationId } = await kiosk.record();
    kiosk.store.meddle(passOn, async ({ send }) => {
      await store.client.send(new DeleteCommand({ TableName: store.table, Key: { pk } }));
      return send();
    });
    const reply = await kiosk.sell({ key });
    expect(reply).toMatchObject({ status: 201, replayed: false });
    expect(reply.operation).not.toBe(operationId);
    expect(await kiosk.record()).toMatchObject({ attempt: 1, operationId: reply.operation });
  });
});
