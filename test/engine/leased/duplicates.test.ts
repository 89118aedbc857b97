import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../lib/store/store.ts';
import { declines, doesSilently, isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { type Kiosk, newKiosk, withoutReserve } from '../../setup/kiosk.ts';
import { passOn } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const prefer = (value: string) => ({ headers: { Prefer: value } });

/** A first request that stands in the middle of its call. */
async function underWay(kiosk: Kiosk, key: string, call = stalls()) {
  kiosk.terminal.next(call.act);
  const answer = kiosk.newEnvironment().sell({ key });
  await call.reached;
  return {
    answer,
    /** Happens at somebody's next call to the store: the first request ends before that is sent. */
    endsHere: async ({ send }: Parameters<typeof passOn>[0]) => {
      call.letGo();
      await answer;
      return send();
    },
  };
}

describe('a duplicate of a running request', () => {
  it('R18 is 409, with what is left of the lease but at most 5 s as Retry-After', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await underWay(kiosk, key);
    const waits: unknown[] = [];
    for (const passes of [0, 7_000, 2_001, 1_999]) {
      kiosk.clock.advance(passes);
      const { status, code, headers } = await kiosk.sell({ key });
      waits.push([status, code, headers['retry-after'], headers['preference-applied']]);
    }
    expect(waits).toEqual(['5', '5', '3', '1'].map((wait) => [409, 'request-in-flight', wait, undefined]));
    void first.answer;
  });

  it('R18 that waits does not look in step with the others that wait', async () => {
    const slept: number[] = [];
    const chances = [0, 0.999, 0.25, 0.75];
    let kiosk: Kiosk;
    kiosk = await newKiosk(store, {
      surroundings: {
        random: () => chances[slept.length % chances.length] ?? 0,
        sleep: async (duration) => {
          slept.push(duration);
          kiosk.clock.advance(duration);
        },
      },
    });
    const key = randomUUID();
    const first = await underWay(kiosk, key);
    expect(await kiosk.sell({ key, ...prefer('wait=1') })).toMatchObject({ status: 409 });
    // From half to one and a half of 200 ms; the last one is what is left of the second.
    expect(slept.slice(0, 4).map(Math.round)).toEqual([100, 300, 150, 250]);
    expect(Math.round(slept.reduce((sum, pause) => sum + pause))).toBe(1_000);
    void first.answer;
  });

  it('C42 whose client was given up on gets 409, and later the reply', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const call = stalls();
    const first = await underWay(kiosk, key, call);
    const early = await kiosk.sell({ key });
    expect([early.status, early.headers['retry-after']]).toEqual([409, '5']);
    call.letGo();
    const { text, operation } = await first.answer;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, text, operation });
  });

  it.each(['wait=5', 'wait=5, respond-async', 'WAIT = "5"', 'handling=strict, wait=5;a=b'])(
    'R18 that prefers %s waits for the reply',
    async (preference) => {
      const kiosk = await newKiosk(store);
      const key = randomUUID();
      const first = await underWay(kiosk, key);
      const started = kiosk.clock.now();
      kiosk.store.meddle(passOn, passOn, passOn, first.endsHere);
      const second = await kiosk.sell({ key, ...prefer(preference) });
      const { text, operation } = await first.answer;
      expect(second).toMatchObject({ status: 201, replayed: true, text, operation });
      expect(second.headers['preference-applied']).toBe('wait=5');
      expect(kiosk.clock.now() - started).toBe(600);
      const looks = kiosk.store.calls.slice(1);
      expect(looks.map(({ name, input }) => [name, input.ConsistentRead])).toEqual(Array(3).fill(['GetCommand', true]));
    },
  );

  it.each(['wait=16', 'wait=60', `wait=${'9'.repeat(20)}`])(
    'R18 that prefers %s is told that 15 s apply',
    async (long) => {
      const kiosk = await newKiosk(store);
      const key = randomUUID();
      const first = await underWay(kiosk, key);
      kiosk.store.meddle(passOn, passOn, first.endsHere);
      const second = await kiosk.sell({ key, ...prefer(long) });
      expect([second.status, second.headers['preference-applied']]).toEqual([201, 'wait=15']);
      await first.answer;
    },
  );

  it.each([
    ['wait=1', 10_000, 1_000],
    ['wait=60', 30_000, 15_000],
    ['wait=60', 10_000, 8_000],
    ['wait=5', 2_500, 500],
    ['wait=5', 1_000, 0],
  ])('R18 that prefers %s with %i ms left waits %i ms, then 409', async (preference, remaining, waited) => {
    const kiosk = await newKiosk(store, { operation: (sale) => withoutReserve(sale) });
    const key = randomUUID();
    const call = stalls();
    kiosk.terminal.next(call.act);
    void kiosk.newEnvironment().sell({ key, remaining: 60_000 });
    await call.reached;
    const started = kiosk.clock.now();
    const reply = await kiosk.sell({ key, remaining, ...prefer(preference) });
    expect([reply.status, reply.headers['retry-after']]).toEqual([409, '5']);
    expect(reply.headers['preference-applied']).toBeUndefined();
    expect(kiosk.clock.now() - started).toBe(waited);
  });

  it.each(['wait=0', 'wait=-1', 'wait=1.5', 'wait', 'respond-async=1', 'nonsense', ''])(
    'R18 that prefers %j is answered at once',
    async (preference) => {
      const kiosk = await newKiosk(store);
      const key = randomUUID();
      await underWay(kiosk, key);
      const started = kiosk.clock.now();
      expect(await kiosk.sell({ key, ...prefer(preference) })).toMatchObject({ status: 409 });
      expect(kiosk.clock.now()).toBe(started);
    },
  );

  it.each([
    ['respond-async', 0],
    ['respond-async, wait=0', 0],
    ['respond-async, wait=2', 2_000],
  ])('R18 that prefers %s is 202 after %i ms, with where to look', async (preference, waited) => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await underWay(kiosk, key);
    const { operationId } = await kiosk.record();
    const started = kiosk.clock.now();
    const reply = await kiosk.sell({ key, ...prefer(preference) });
    expect(reply).toMatchObject({ status: 202, replayed: false, operation: operationId });
    expect(reply.headers).toMatchObject({
      location: `/operations/${operationId}`,
      'preference-applied': 'respond-async',
    });
    expect(JSON.parse(reply.text)).toEqual({ operation: operationId });
    expect(kiosk.clock.now() - started).toBe(waited);
    expect(await kiosk.look(operationId)).toMatchObject({ status: 200, body: { status: 'in_progress' } });
  });

  it('R18 that waits gets a refusal, too', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await underWay(kiosk, key, stalls({ act: declines }));
    kiosk.store.meddle(passOn, first.endsHere);
    expect(await kiosk.sell({ key, ...prefer('wait=5') })).toMatchObject({ status: 402, replayed: true });
  });

  it('R18 that waits goes on itself when the first does not know its outcome', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await underWay(kiosk, key, stalls({ act: doesSilently }));
    kiosk.store.meddle(passOn, first.endsHere);
    const second = await kiosk.sell({ key, ...prefer('wait=5') });
    expect(await first.answer).toMatchObject({ status: 503, operation: second.operation });
    expect(second).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.terminal.charges.size).toBe(1);
  });

  it('R7 is 422 at once, whatever it prefers', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    await underWay(kiosk, key);
    const started = kiosk.clock.now();
    const reply = await kiosk.sell({ key, body: { amount: 1 }, ...prefer('wait=5, respond-async') });
    expect(reply).toMatchObject({ status: 422, code: 'idempotency-key-reused' });
    expect(kiosk.clock.now()).toBe(started);
  });

  it('R24 that says it is one is answered by reads alone', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const call = stalls();
    const first = await underWay(kiosk, key, call);
    const hinted = { 'Idempotency-Attempt': '2' };
    expect(await kiosk.sell({ key, headers: hinted })).toMatchObject({ status: 409 });
    call.letGo();
    const { text } = await first.answer;
    expect(await kiosk.sell({ key, headers: hinted })).toMatchObject({ status: 201, replayed: true, text });
    expect(kiosk.store.calls.map(({ name }) => name)).toEqual(['GetCommand', 'GetCommand']);
  });
});

describe('a first request', () => {
  it('R18 runs at once, whatever it prefers', async () => {
    const kiosk = await newKiosk(store, { stock: 200 });
    const first = await kiosk.sell(prefer('respond-async, wait=5'));
    expect([first.status, first.headers['preference-applied']]).toEqual([201, undefined]);
    kiosk.terminal.next(isSilent);
    expect(await kiosk.sell(prefer('respond-async'))).toMatchObject({ status: 503, code: 'outcome-unknown' });
  });

  it('C37 of twenty at once is the only one that calls', async () => {
    // The twenty share a clock: were a look to move it, nineteen would use up each other's patience.
    const kiosk = await newKiosk(store, { surroundings: { sleep: () => setTimeout(5) } });
    const key = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => kiosk.newEnvironment().sell({ key, ...prefer('wait=10') })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect([kiosk.terminal.asked, (await kiosk.shelf()).sold]).toEqual([['charge 1'], 100]);
  });
});
