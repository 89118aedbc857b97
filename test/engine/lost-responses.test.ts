import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { isPlan, refuse } from '../../lib/protocol/plan.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { loseResponse, passOn } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';
import { setClock } from '../setup/set-clock.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const tokensOf = (calls: readonly { readonly input: { readonly ClientRequestToken?: string } }[]) =>
  calls.flatMap(({ input }) => input.ClientRequestToken ?? []);

it('C14 a lost response is followed by the same transaction, and answered as the first', async () => {
  const purse = await newPurse(store);
  purse.store.meddle(loseResponse);
  expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  const [first, second, ...others] = purse.store.calls;
  expect([second?.input, others]).toEqual([first?.input, []]);
  expect(await purse.receipts()).toHaveLength(1);
});

it('R10 a request knows its own record once DynamoDB has forgotten the request token', async () => {
  const purse = await newPurse(store);
  purse.store.meddle(loseResponse, ({ input, send }) => {
    input.ClientRequestToken = randomUUID();
    return send();
  });
  expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  expect(await purse.balance()).toBe(0);
});

it('C46 a retry gets the 201 of the attempt that emptied the account, not 402', async () => {
  const purse = await newPurse(store, { balance: 100 });
  purse.store.meddle(...Array(500).fill(loseResponse));
  const key = randomUUID();
  expect(await purse.pay({ key })).toMatchObject({ status: 503, code: 'store-unavailable' });
  purse.store.calm();
  expect(await purse.balance()).toBe(0);
  expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: true });
  expect(await purse.pay({ key, headers: { 'Idempotency-Attempt': '3' } })).toMatchObject({ status: 201 });
});

it('C46 a handler that reads before it plans gets that 201 too', async () => {
  const purse = await newPurse(store, {
    balance: 100,
    run: async (context, pay) => {
      const held = await context.read.get({ pk: `purse#${purse.id}`, sk: 'purse' });
      if (Number(held?.balance) < context.body.amount) return refuse('insufficient-funds', 'Read, not met.');
      return pay(context);
    },
  });
  const key = randomUUID();
  const first = await purse.pay({ key });
  expect(first.status).toBe(201);
  expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
});

it('C52 forty lost responses in a row: each request ends in 201 or in a 503 whose retry replays, with one effect', async () => {
  const clock = { ...setClock(), random: Math.random };
  const purse = await newPurse(store, { clock });
  purse.store.meddle(...Array(40).fill(loseResponse));
  const key = randomUUID();
  const given: Awaited<ReturnType<typeof purse.pay>>[] = [];
  let answer = await purse.pay({ key });
  while (answer.status !== 201) {
    given.push(answer);
    clock.advance(Number(answer.headers['retry-after']) * 1_000);
    answer = await purse.pay({ key });
  }
  // No request has the patience for forty, so some of them gave up, each of them retryable.
  expect(given.length).toBeGreaterThan(0);
  for (const { status, code, text } of given) {
    expect([status, code, JSON.parse(text).retryable]).toEqual([503, 'store-unavailable', true]);
  }
  expect(answer).toMatchObject({ status: 201, replayed: true });
  expect([await purse.balance(), (await purse.receipts()).length]).toEqual([0, 1]);
  await purse.setBalance(100);
  expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
});

it('R22 responses that get lost faster than patience runs out are outlasted, by one transaction under one token', async () => {
  const purse = await newPurse(store, { clock: setClock(undefined, 0.001) });
  purse.store.meddle(...Array(40).fill(loseResponse));
  expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  expect(purse.store.calls).toHaveLength(41);
  expect(new Set(tokensOf(purse.store.calls)).size).toBe(1);
  expect(await purse.receipts()).toHaveLength(1);
});

it('R10 a refusal whose response was lost is recognized, and not marked as a replay', async () => {
  const purse = await newPurse(store, { balance: 1 });
  purse.store.meddle(passOn, loseResponse);
  expect(await purse.pay()).toMatchObject({ status: 402, replayed: false });
  expect(purse.store.calls.map(({ name }) => name)).toEqual(['TransactWriteCommand', 'PutCommand', 'PutCommand']);
});

it('R10 a new plan gets a new request token, and the ids stay', async () => {
  const uuids: string[] = [];
  const purse = await newPurse(store, {
    balance: 1,
    run: async (context, pay) => {
      uuids.push(context.operation.uuid);
      if (context.operation.round > 1) return pay({ ...context, body: { amount: 1 } });
      const planned = await pay(context);
      if (!isPlan(planned)) throw new Error('Not a plan.');
      return { ...planned, effects: planned.effects.map((effect) => ({ ...effect, refuse: () => undefined })) };
    },
  });
  expect(await purse.pay({ body: { amount: 5 } })).toMatchObject({ status: 201 });
  const tokens = tokensOf(purse.store.calls);
  expect(new Set(tokens).size).toBe(2);
  expect(Math.max(...tokens.map(({ length }) => length))).toBeLessThanOrEqual(36);
  expect(new Set(uuids).size).toBe(1);
});
