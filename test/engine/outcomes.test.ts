import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { isPlan, type Plan, type ReplyDraft, refuse } from '../../lib/protocol/plan.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import { MAX_REPLY_BYTES } from '../../lib/protocol/reply.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { passOn } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

/** A purse whose payment answers as the test says, with its effects as ever. */
const answering = (change: (plan: Plan) => Partial<Plan>) =>
  newPurse(store, {
    run: async (context, pay) => {
      const planned = await pay(context);
      if (!isPlan(planned)) throw new Error('Not a plan.');
      return { ...planned, ...change(planned) };
    },
  });

const writes = (calls: readonly { readonly name: string }[]) =>
  calls.filter(({ name }) => name === 'TransactWriteCommand' || name === 'PutCommand');

describe('a refusal', () => {
  it('R16 is final: more money later does not change it', async () => {
    const purse = await newPurse(store, { balance: 99 });
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(first).toMatchObject({ status: 402, code: 'insufficient-funds', replayed: false });
    await purse.setBalance(1_000);
    expect(await purse.pay({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
    expect(purse.counted).toEqual(['refused', 'replayed']);
    expect(JSON.parse(first.text)).toMatchObject({ operation: first.operation, retryable: false });
  });

  it('R16 gives way to the reply that another attempt stored first', async () => {
    const purse = await newPurse(store, { balance: 99 });
    const key = randomUUID();
    let winner: Awaited<ReturnType<typeof purse.pay>> | undefined;
    purse.store.meddle(passOn, async ({ send }) => {
      await purse.setBalance(100);
      winner = await purse.pay({ key });
      return send();
    });
    const loser = await purse.pay({ key });
    expect(winner).toMatchObject({ status: 201, replayed: false });
    expect(loser).toMatchObject({ status: 201, replayed: true, text: winner?.text });
  });

  it('R16 that only the moment dictates is not stored', async () => {
    let busy = true;
    const purse = await newPurse(store, {
      run: (context, pay) => (busy ? refuse('too-many-conflicts', 'Busy.') : pay(context)),
    });
    const key = randomUUID();
    expect(await purse.pay({ key })).toMatchObject({ status: 503, code: 'too-many-conflicts' });
    busy = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: false });
  });
});

describe('an answer that is not stored', () => {
  const unstored: readonly [string, () => ReplyDraft | never][] = [
    ...[400, 401, 403, 413, 415, 429, 500, 503].map((status): [string, () => ReplyDraft] => [
      `a ${status} of the handler`,
      () => ({ status, body: { why: 'not now' } }),
    ]),
    [
      'a problem that it throws',
      () => {
        throw new SemelError('precondition-failed', 'Stale.');
      },
    ],
    [
      'a bug',
      () => {
        throw new TypeError('undefined is not a function');
      },
    ],
  ];

  it.each(unstored)('R15 leaves the key usable: %s', async (_, fail) => {
    let failing = true;
    const purse = await newPurse(store, { run: (context, pay) => (failing ? fail() : pay(context)) });
    const key = randomUUID();
    const failed = await purse.pay({ key });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    expect(writes(purse.store.calls)).toEqual([]);
    failing = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: false });
  });

  it.each(unstored)('R15 gives way to a record that is there: %s', async (_, fail) => {
    let failing = false;
    const purse = await newPurse(store, { run: (context, pay) => (failing ? fail() : pay(context)) });
    const key = randomUUID();
    const first = await purse.pay({ key });
    failing = true;
    expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
    expect(purse.store.calls.at(-1)?.name).toBe('TransactGetCommand');
  });

  it('R15 gives way to the mismatch of a body that fails its schema', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    await purse.pay({ key });
    expect(await purse.pay({ key, body: { amount: 'much' } })).toMatchObject({ code: 'idempotency-key-reused' });
    expect(await purse.pay({ body: { amount: 'much' } })).toMatchObject({ status: 400, code: 'invalid-body' });
  });
});

describe('a reply', () => {
  it('C12 of 410 KB fails before anything is written, again and again', async () => {
    const purse = await answering(({ reply }) => ({ reply: { ...reply, body: 'x'.repeat(410 * 1_024) } }));
    const key = randomUUID();
    for (const _ of [1, 2]) {
      expect(await purse.pay({ key })).toMatchObject({ status: 500, code: 'reply-too-large' });
    }
    expect([await purse.balance(), writes(purse.store.calls)]).toEqual([100, []]);
  });

  it('R20 of exactly 256 KB is kept', async () => {
    const purse = await answering(({ reply }) => ({ reply: { ...reply, body: 'x'.repeat(MAX_REPLY_BYTES) } }));
    const replies = [await purse.pay({ key: 'r20' }), await purse.pay({ key: 'r20' })];
    expect(replies.map(({ status, text }) => [status, text.length])).toEqual(Array(2).fill([201, MAX_REPLY_BYTES]));
  });

  it('C40 drops undefined and spells dates, the same way both times', async () => {
    class Receipt {
      toJSON() {
        return 'receipt';
      }
    }
    const body = { z: undefined, at: new Date(0), receipt: new Receipt(), nested: [{ b: 1, a: null }] };
    const purse = await answering(({ reply }) => ({ reply: { ...reply, body } }));
    const replies = [await purse.pay({ key: 'c40' }), await purse.pay({ key: 'c40' })];
    const text = '{"at":"1970-01-01T00:00:00.000Z","receipt":"receipt","nested":[{"b":1,"a":null}]}';
    expect(replies.map((reply) => reply.text)).toEqual([text, text]);
  });

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a BigInt', 1n],
    ['a Map', new Map([['a', 1]])],
    ['a class instance', new (class Money {})()],
  ])('C40 with %s is refused before the effect', async (_, amount) => {
    const purse = await answering(({ reply }) => ({ reply: { ...reply, body: { amount } } }));
    expect(await purse.pay()).toMatchObject({ status: 500, code: 'internal-error' });
    expect([await purse.balance(), writes(purse.store.calls)]).toEqual([100, []]);
  });
});

describe('a plan', () => {
  it('C50 with two writes on one item is refused before anything is sent', async () => {
    const purse = await answering(({ effects }) => ({ effects: [...effects, ...effects] }));
    expect(await purse.pay()).toMatchObject({ status: 500, code: 'internal-error' });
    expect([await purse.balance(), writes(purse.store.calls)]).toEqual([100, []]);
  });

  it('R22 with over 99 effects is refused before anything is sent', async () => {
    const puts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ Put: { Item: { pk: `many#${index}`, sk: randomUUID() } } }));
    const many = await answering(() => ({ effects: puts(100) }));
    expect(await many.pay()).toMatchObject({ status: 500 });
    expect(writes(many.store.calls)).toEqual([]);
    const most = await answering(() => ({ effects: puts(99) }));
    expect(await most.pay()).toMatchObject({ status: 201 });
  });

  it('R16 without effects is stored by one conditional write', async () => {
    const purse = await answering(() => ({ effects: [] }));
    const replies = [await purse.pay({ key: 'bare' }), await purse.pay({ key: 'bare' })];
    expect(replies.map(({ status, replayed }) => [status, replayed])).toEqual([
      [201, false],
      [201, true],
    ]);
    expect(purse.store.calls.map(({ name }) => name)).toEqual(['PutCommand', 'PutCommand']);
  });

  it('R22 whose condition never says anything final ends in 503', async () => {
    const purse = await answering(({ effects }) => ({
      effects: effects.map((effect) => ({ ...effect, refuse: () => undefined })),
    }));
    expect(await purse.pay({ body: { amount: 101 } })).toMatchObject({ status: 503, code: 'too-many-conflicts' });
  });
});

describe('an operation inside another', () => {
  it('C3 has a record of its own', async () => {
    const inner = await newPurse(store);
    const innerReplies: string[] = [];
    const key = randomUUID();
    const outer = await newPurse(store, {
      run: async (context, pay) => {
        // Named by the intent, not by the attempt: a retry plans before it learns that it is one.
        innerReplies.push((await inner.pay({ key: `${key}/inner` })).text);
        return pay(context);
      },
    });
    const [first, again] = [await outer.pay({ key }), await outer.pay({ key })];
    expect(again).toMatchObject({ replayed: true, text: first.text });
    expect(innerReplies).toEqual(Array(2).fill(innerReplies[0]));
    expect(innerReplies[0]).not.toBe(first.text);
    expect([await inner.balance(), await outer.balance()]).toEqual([0, 0]);
  });
});

describe('a parallel pair', () => {
  it('C11 of different payloads is one 201 and one 422, never a 500', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const replies = await Promise.all([1, 2, 3, 4].map((amount) => purse.pay({ key, body: { amount } })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    expect(await purse.receipts()).toHaveLength(1);
  });
});
