import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Planned, ReplyDraft } from '../../lib/protocol/plan.ts';
import { ownProblem } from '../../lib/protocol/problem-reply.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { newPurse } from '../setup/purse.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

/** The three ways to say it: a reply, a plan without effects, and what a failing condition means. */
const WAYS: readonly [string, (reply: ReplyDraft) => Planned][] = [
  ['a reply', (reply) => reply],
  ['a plan without effects', (reply) => ({ effects: [], reply })],
  ['a condition', (reply) => ({ effects: [{ ...never, refuse: () => reply }], reply: { status: 201 } })],
];
const never = {
  ConditionCheck: { Key: { pk: 'nobody', sk: 'none' }, ConditionExpression: 'attribute_exists(pk)' },
};

describe.each(WAYS)('a plain "no" by %s', (_, say) => {
  it.each([402, 404, 409, 410, 412, 422])('R16 of %i is final: stored and replayed', async (status) => {
    let refusing = true;
    const reply = { status, body: { why: 'the seat is taken' } };
    const purse = await newPurse(store, { run: (context, pay) => (refusing ? say(reply) : pay(context)) });
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(first).toMatchObject({ status, replayed: false, text: '{"why":"the seat is taken"}' });
    refusing = false;
    expect(await purse.pay({ key })).toMatchObject({ status, replayed: true, text: first.text });
    expect(await purse.balance()).toBe(100);
  });

  it.each([400, 401, 403, 408, 413, 415, 425, 429, 500, 503])('R15 of %i leaves the key usable', async (status) => {
    let refusing = true;
    const purse = await newPurse(store, { run: (context, pay) => (refusing ? say({ status }) : pay(context)) });
    const key = randomUUID();
    expect(await purse.pay({ key })).toMatchObject({ status, replayed: false });
    refusing = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: false });
  });
});

it('R16 a reply that comes with effects is final whatever its status: they are done', async () => {
  const purse = await newPurse(store, {
    run: async (context, pay) => {
      const plan = await pay(context);
      return 'effects' in plan ? { ...plan, reply: { status: 503 } } : plan;
    },
  });
  const key = randomUUID();
  for (const replayed of [false, true]) expect(await purse.pay({ key })).toMatchObject({ status: 503, replayed });
  expect(await purse.balance()).toBe(0);
});

it('R16 a problem of one’s own is refused with like one of the library’s', async () => {
  const taken = ownProblem({ code: 'seat-taken', status: 409, title: 'The seat is taken', detail: 'Seat 7 is sold.' });
  const effects = [{ ...never, refuse: () => taken }];
  const purse = await newPurse(store, { run: () => ({ effects, reply: { status: 201 } }) });
  const key = randomUUID();
  for (const replayed of [false, true]) {
    const reply = await purse.pay({ key });
    expect(reply).toMatchObject({ status: 409, code: 'seat-taken', replayed });
    expect(reply.headers['content-type']).toBe('application/problem+json');
  }
});
