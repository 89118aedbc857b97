import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/protocol/time.ts';
import { httpProvider } from '../../lib/wallet/provider.ts';
import { refundOperation } from '../../lib/wallet/refund.ts';
import { type Charging, startCharging } from './charging.ts';

let wallet: Charging;
let account: string;
/** A charge of 500, which is all that the account holds. */
let charge: string;
beforeEach(async () => {
  wallet = await startCharging();
  account = await wallet.openAccount();
  charge = (await wallet.charge(account, 'tok_ok')).body.id;
  wallet.provider.asked.length = 0;
});
afterEach(() => wallet.provider.stop());

const refunds = () => wallet.provider.asked.filter((call) => call === 'POST /refunds');
const refundedOf = async (): Promise<number> =>
  (await wallet.send('GET /charges/{id}', `/charges/${charge}`)).body.refunded;
const spend = async (amount: number) => {
  const body = { from: account, to: await wallet.openAccount(), amount };
  return wallet.send('POST /transfers', '/transfers', { body });
};

describe('a refund', () => {
  it('debits the account that the charge credited', async () => {
    const reply = await wallet.refund(charge, { amount: 200 });
    const { id } = reply.body;
    expect(id).toMatch(/^re_[0-9a-f-]{36}$/);
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ id, charge, amount: 200, status: 'succeeded' });
    expect(await refundedOf()).toBe(200);
    expect(await wallet.entriesOf(account)).toEqual([
      ['refund', -200, 300],
      ['charge', 500, 500],
    ]);
  });

  it.each([
    ['an empty body', {}],
    ['no body', undefined],
  ])('with %s gives back what is left', async (_, body) => {
    await wallet.refund(charge, { amount: 200 });
    expect(await wallet.refund(charge, body)).toMatchObject({ status: 201, body: { amount: 300 } });
    expect([await refundedOf(), await wallet.balanceOf(account)]).toEqual([500, 0]);
  });

  it.each([null, 0, -1, 1.5, '500'])('of %j is 400, and its key is still usable', async (amount) => {
    const key = randomUUID();
    const reply = await wallet.refund(charge, { amount }, { key });
    expect(reply).toMatchObject({ status: 400, body: { type: '/problems/invalid-body' } });
    expect((await wallet.refund(charge, { amount: 1 }, { key })).status).toBe(201);
  });

  it.each([
    ['more than the charge', 501],
    ['more than is left', 301],
  ])('R16 of %s is refused for good, before the call', async (_, amount) => {
    if (amount === 301) await wallet.refund(charge, { amount: 200 });
    const called = refunds().length;
    const key = randomUUID();
    const reply = await wallet.refund(charge, { amount }, { key });
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/refund-exceeds-charge' } });
    expect((await wallet.refund(charge, { amount }, { key })).headers['idempotent-replayed']).toBe('true');
    expect(refunds()).toHaveLength(called);
  });

  it.each(['nothing', 'an amount'])('where nothing is left is refused, asked for %s', async (asked) => {
    await wallet.refund(charge);
    const reply = await wallet.refund(charge, asked === 'nothing' ? {} : { amount: 1 });
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/refund-exceeds-charge' } });
    expect(refunds()).toHaveLength(1);
  });

  it.each([
    [undefined, '='],
    [200, '>='],
  ])('R16 of %s holds what was decided on: refundable %s :amount, and whose it is', async (amount, compared) => {
    const { reserve } = refundOperation(httpProvider({ url: 'http://localhost', timeout: milliseconds(1) }));
    const seen = { id: charge, caller: 'alice', account, refundable: 300, providerReference: 'pay_1' };
    const reservation = await reserve?.(
      {
        ...{ intent: { charge, amount }, caller: 'alice' },
        operation: { id: 'op', uuid: randomUUID(), now: milliseconds(0), attempt: 1 },
        read: { get: async () => seen, query: async () => [] },
      },
      1,
    );
    const [hold] = reservation && 'effects' in reservation ? reservation.effects : [];
    expect(hold).toMatchObject({
      Update: { ConditionExpression: `caller = :caller AND refundable ${compared} :amount` },
    });
    // What came back to the charge since belongs to what is left of it: a refund of all that is left looks again.
    expect(hold?.refuse?.({ ...seen, refundable: 500 })).toEqual(
      amount && expect.objectContaining({ detail: expect.any(String) }),
    );
    expect(hold?.refuse?.({ ...seen, caller: 'bob' })).toMatchObject({ problem: 'charge-not-found' });
  });

  it('of another caller’s charge is of none', async () => {
    const reply = await wallet.refund(charge, {}, { caller: 'bob' });
    expect(reply).toMatchObject({ status: 404, body: { type: '/problems/charge-not-found' } });
    expect(refunds()).toEqual([]);
  });

  it.each([{}, { amount: 500 }])('C43 in full twice at once (%j): one reaches the provider', async (body) => {
    const replies = await Promise.all([1, 2].map(() => wallet.refund(charge, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(replies.find(({ status }) => status === 422)?.body.type).toBe('/problems/refund-exceeds-charge');
    expect(refunds()).toHaveLength(1);
    expect(await wallet.balanceOf(account)).toBe(0);
  });

  it('R16 that the account cannot pay is refused before the call and holds nothing', async () => {
    await spend(400);
    const reply = await wallet.refund(charge);
    expect(reply).toMatchObject({ status: 402, body: { type: '/problems/insufficient-funds' } });
    expect(refunds()).toEqual([]);
    expect((await wallet.refund(charge, { amount: 100 })).status).toBe(201);
  });

  it('R16 that the provider declines is final and gives both holds back', async () => {
    wallet.provider.intercept = () => 402;
    const key = randomUUID();
    const reply = await wallet.refund(charge, {}, { key });
    expect(reply).toMatchObject({ status: 402, body: { type: '/problems/card-declined' } });
    wallet.provider.intercept = () => undefined;
    expect((await wallet.refund(charge, {}, { key })).body).toEqual(reply.body);
    expect([await refundedOf(), await wallet.balanceOf(account)]).toEqual([0, 500]);
    expect((await wallet.refund(charge)).status).toBe(201);
  });
});

describe('a refund whose outcome is unknown', () => {
  it('holds the money without changing the balance, until it is booked', async () => {
    wallet.provider.intercept = (call) => (call === 'POST /refunds' ? 'drop' : undefined);
    const key = randomUUID();
    const first = await wallet.refund(charge, { amount: 400 }, { key });
    expect(first).toMatchObject({ status: 503, body: { type: '/problems/outcome-unknown' } });
    expect(await wallet.entriesOf(account)).toEqual([['charge', 500, 500]]);
    const spent = await spend(101);
    expect(spent).toMatchObject({ status: 402, body: { type: '/problems/insufficient-funds' } });
    expect(spent.body.detail).toContain('100 available');
    expect((await spend(100)).status).toBe(201);
    wallet.provider.intercept = () => undefined;
    expect((await wallet.refund(charge, { amount: 400 }, { key })).status).toBe(201);
    expect(await wallet.entriesOf(account)).toEqual([
      ['refund', -400, 0],
      ['transfer', -100, 400],
      ['charge', 500, 500],
    ]);
  });

  it.each(['drop', 'lose', 500] as const)(
    'C44 (%s) is settled once by the reconciler, with the open amount as reserved',
    async (fate) => {
      wallet.provider.intercept = (call) => (call === 'POST /refunds' && refunds().length === 1 ? fate : undefined);
      const key = randomUUID();
      const first = await wallet.refund(charge, {}, { key });
      expect(first.status).toBe(503);
      expect(await wallet.reconcile()).toEqual({ settled: 1 });
      const retry = await wallet.refund(charge, {}, { key });
      expect(retry).toMatchObject({ status: 201, body: { amount: 500 } });
      expect(retry.headers['operation-id']).toBe(first.headers['operation-id']);
      expect([await refundedOf(), await wallet.balanceOf(account)]).toEqual([500, 0]);
      const [made] = await wallet.provider.charges();
      expect(made?.refundable).toBe(0);
    },
  );
});
