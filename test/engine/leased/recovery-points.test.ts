import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { notBegun } from '../../../lib/protocol/outside-call.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import { milliseconds } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, weigh, withoutReserve, withWeighing } from '../../setup/kiosk.ts';
import { holdBack, loseResponse, passOn, reset } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const weighed = async (kiosk: { shelf: () => Promise<Record<string, unknown>> }) => (await kiosk.shelf()).weighed;

describe('a checkpoint', () => {
  it('R11 is where a takeover starts: with its name and data, and its effects are not repeated', async () => {
    const seen: unknown[] = [];
    const kiosk = await newKiosk(store, {
      operation: (sale, id) => {
        const call: typeof sale.call = (phase) => {
          seen.push([phase.recoveryPoint, phase.recoveryData]);
          return sale.call(phase);
        };
        return withWeighing({ ...sale, call }, id);
      },
    });
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: false });
    expect(await kiosk.record()).toMatchObject({ recoveryPoint: 'weighed', recoveryData: '{"grams":5}' });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201 });
    expect(seen).toEqual([
      [undefined, undefined],
      ['weighed', { grams: 5 }],
    ]);
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100, weighed: 1 });
  });

  it('R12 is one fenced write with its effects, and the next one replaces it', async () => {
    const kiosk = await newKiosk(store, {
      operation: (sale, id) => ({
        ...withoutReserve(sale),
        call: async (phase) => {
          await phase.checkpoint('one', { data: [1], effects: [weigh(id)] });
          await phase.checkpoint('two');
          return isSilent();
        },
      }),
    });
    expect(await kiosk.sell()).toMatchObject({ status: 503 });
    const [, first, second, rest] = kiosk.store.calls;
    expect(first?.input.TransactItems[0].Put).toMatchObject({
      ConditionExpression: 'ownerToken = :owner AND #status = :inProgress',
      Item: { recoveryPoint: 'one', recoveryData: '[1]' },
    });
    expect(second?.input.Item).toMatchObject({ recoveryPoint: 'two' });
    expect(second?.input.Item).not.toHaveProperty('recoveryData');
    expect(rest?.input.Item).toMatchObject({ recoveryPoint: 'two', unknowns: 1 });
  });

  it('R12 whose effect has a condition that fails leaves the outcome unknown', async () => {
    const kiosk = await newKiosk(store, {
      operation: (sale, id) => ({
        ...sale,
        call: async (phase) => {
          const { Update } = weigh(id) as { Update: object };
          const failing = { Update: { ...Update, ConditionExpression: 'attribute_not_exists(pk)' } };
          await phase.checkpoint('never', { effects: [failing as ReturnType<typeof weigh>] });
          return sale.call(phase);
        },
      }),
    });
    expect(await kiosk.sell()).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(kiosk.terminal.asked).toEqual([]);
    expect(await kiosk.record()).not.toHaveProperty('recoveryPoint');
  });

  it('R14 keeps a first attempt from freeing its key', async () => {
    const kiosk = await newKiosk(store, {
      operation: (sale, id) =>
        withWeighing(
          { ...withoutReserve(sale), call: async () => notBegun(new SemelError('forbidden', 'Not now.')) },
          id,
        ),
    });
    const reply = await kiosk.sell();
    expect(reply).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(await kiosk.record()).toMatchObject({ recoveryPoint: 'weighed', leaseUntil: kiosk.clock.now() });
  });

  it('R11 of a late owner that comes before a takeover is written is not lost', async () => {
    const kiosk = await newKiosk(store, { operation: withWeighing });
    const key = randomUUID();
    const [checkpoint, takeover] = [holdBack(), holdBack()];
    kiosk.store.meddle(passOn, checkpoint.meddling);
    const call = stalls();
    kiosk.terminal.next(call.act);
    const first = kiosk.sell({ key });
    await checkpoint.reached;
    kiosk.clock.advance(12_000);
    const late = kiosk.newEnvironment();
    late.store.meddle(passOn, takeover.meddling);
    const second = late.sell({ key });
    await takeover.reached;
    checkpoint.letGo();
    await call.reached;
    takeover.letGo();
    expect(await second).toMatchObject({ status: 201, replayed: false });
    call.letGo();
    expect(await first).toMatchObject({ status: 201, replayed: true });
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100, weighed: 1 });
  });

  it('R11 that is being written when the time is up is not lost', async () => {
    let time = new AbortController();
    const abortAfter = (duration: number) => (duration === 8_000 ? time.signal : new AbortController().signal);
    const kiosk = await newKiosk(store, { operation: withWeighing, surroundings: { abortAfter } });
    const key = randomUUID();
    const [checkpoint, afterwards] = [holdBack(), stalls()];
    kiosk.store.meddle(passOn, checkpoint.meddling);
    kiosk.terminal.next(afterwards.act);
    const first = kiosk.sell({ key });
    await checkpoint.reached;
    time.abort(new Error('time is up'));
    setTimeout(checkpoint.letGo, 20);
    expect(await first).toMatchObject({ status: 503, code: 'outcome-unknown' });
    await afterwards.reached;
    expect(await kiosk.record()).toMatchObject({ recoveryPoint: 'weighed', unknowns: 1 });
    time = new AbortController();
    expect(await kiosk.newEnvironment().sell({ key })).toMatchObject({ status: 201 });
    expect(await weighed(kiosk)).toBe(1);
  });

  it('R11 that was written, though nobody answered, is not lost', async () => {
    const kiosk = await newKiosk(store, { operation: withWeighing });
    const key = randomUUID();
    // Only the shortening of the lease would get through again.
    const outage = (call: Parameters<typeof reset>[0]) =>
      call.name === 'TransactWriteCommand' ? reset(call) : call.send();
    kiosk.store.meddle(passOn, loseResponse, ...Array(200).fill(outage));
    const first = await kiosk.sell({ key });
    expect(first.status).toBe(503);
    kiosk.clock.advance(12_000);
    expect(await kiosk.newEnvironment().sell({ key })).toMatchObject({ status: 201 });
    expect(await weighed(kiosk)).toBe(1);
  });
});

describe('an extension', () => {
  it('R12 moves the end of the lease and nothing else', async () => {
    const kiosk = await newKiosk(store, { operation: withWeighing });
    const key = randomUUID();
    const call = stalls({
      act: async (phase) => {
        await phase.extend(milliseconds(60_000));
        return new Promise(() => {});
      },
    });
    kiosk.terminal.next(call.act);
    void kiosk.sell({ key });
    await call.reached;
    const before = await kiosk.record();
    const extended = holdBack();
    kiosk.store.meddle(extended.meddling);
    call.letGo();
    await extended.reached;
    extended.letGo();
    await expect.poll(() => kiosk.record()).toEqual({ ...before, leaseUntil: kiosk.clock.now() + 62_000 });
    kiosk.clock.advance(12_000);
    expect(await kiosk.newEnvironment().sell({ key })).toMatchObject({ status: 409 });
  });
});
