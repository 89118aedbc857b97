import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_AMOUNT } from '../../lib/wallet/money.ts';
import { type Charging, startCharging } from './charging.ts';

let wallet: Charging;
beforeEach(async () => {
  wallet = await startCharging();
});
afterEach(() => wallet.provider.stop());

const posts = () => wallet.provider.asked.filter((call) => call === 'POST /charges');
/** The booking: the second transaction of a charge, the first being its claim. */
const booking = () => {
  let transactions = 0;
  return (command: object) => command instanceof TransactWriteCommand && ++transactions === 2;
};

describe('a charge', () => {
  it('credits the account and is answered with what the provider said', async () => {
    const account = await wallet.openAccount(100);
    const reply = await wallet.charge(account, 'tok_ok');
    const [made] = await wallet.provider.charges();
    const { id } = reply.body;
    expect(id).toMatch(/^ch_[0-9a-f-]{36}$/);
    expect(reply).toMatchObject({ status: 201, headers: { location: `/charges/${id}` } });
    expect(reply.body).toEqual({ id, status: 'succeeded', amount: 500, refunded: 0, providerReference: made?.id });
    expect(made).toMatchObject({ reference: reply.headers['operation-id'], amount: 500, currency: 'EUR' });
    expect(await wallet.entriesOf(account)).toEqual([
      ['charge', 500, 600],
      ['opening', 100, 100],
    ]);
  });

  it('is shown to its caller and to nobody else', async () => {
    const account = await wallet.openAccount();
    const { body } = await wallet.charge(account, 'tok_ok');
    const shown = await wallet.send('GET /charges/{id}', `/charges/${body.id}`);
    expect(shown).toMatchObject({ status: 200, body: { ...body, account } });
    const others = await wallet.send('GET /charges/{id}', `/charges/${body.id}`, { caller: 'bob' });
    expect(others).toMatchObject({ status: 404, body: { type: '/problems/charge-not-found' } });
  });

  it.each(['bob', 'nobody'])(
    'R16 to an account that is not the caller’s (%s) is refused before the call',
    async (owner) => {
      const account = owner === 'bob' ? await wallet.openAccount(1, 'bob') : 'acct_none';
      const key = randomUUID();
      const reply = await wallet.charge(account, 'tok_ok', { key });
      expect(reply).toMatchObject({ status: 404, body: { type: '/problems/account-not-found' } });
      expect((await wallet.charge(account, 'tok_ok', { key })).headers['idempotent-replayed']).toBe('true');
      expect(wallet.provider.asked).toEqual([]);
    },
  );

  it('R16 that is declined is final, and leaves room for another', async () => {
    const account = await wallet.openAccount(MAX_AMOUNT - 500);
    const key = randomUUID();
    const reply = await wallet.charge(account, 'tok_declined', { key });
    expect(reply).toMatchObject({ status: 402, body: { type: '/problems/card-declined', retryable: false } });
    const replay = await wallet.charge(account, 'tok_declined', { key });
    expect([replay.status, replay.body, replay.headers['idempotent-replayed']]).toEqual([402, reply.body, 'true']);
    expect(posts()).toHaveLength(1);
    expect((await wallet.charge(account, 'tok_ok')).status).toBe(201);
    expect(await wallet.balanceOf(account)).toBe(MAX_AMOUNT);
  });

  it('that would not fit with those under way is refused before the call', async () => {
    const account = await wallet.openAccount(MAX_AMOUNT - 999);
    const replies = await Promise.all([1, 2].map(() => wallet.charge(account, 'tok_slow')));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(replies.find(({ status }) => status === 422)?.body.type).toBe('/problems/balance-limit');
    expect(posts()).toHaveLength(1);
    expect(await wallet.balanceOf(account)).toBe(MAX_AMOUNT - 499);
  });

  it('R18 sent twice at once is one charge, and the second may wait for the first’s reply', async () => {
    const account = await wallet.openAccount();
    const sent = { key: randomUUID(), prefer: 'wait=5' };
    const replies = await Promise.all([1, 2].map(() => wallet.charge(account, 'tok_slow', sent)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[1]?.body).toEqual(replies[0]?.body);
    expect(posts()).toHaveLength(1);
  });

  it('R7 shares the caller’s key space with refunds', async () => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    const { body } = await wallet.charge(account, 'tok_ok', { key });
    const refund = await wallet.refund(body.id, {}, { key });
    expect(refund).toMatchObject({ status: 422, body: { type: '/problems/idempotency-key-reused' } });
  });
});

describe('a charge whose outcome is unknown', () => {
  it.each([
    ['tok_timeout', undefined],
    ['tok_500', undefined],
    ['tok_ok', 'lose'],
    ['tok_ok', 'drop'],
    ['tok_ok', 502],
    ['tok_ok', 409],
  ] as const)('C44 %s, %s: is 503, and a retry ends in one charge', async (source, fate) => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    wallet.provider.intercept = (call) => (call.startsWith('POST') && posts().length === 1 ? fate : undefined);
    const first = await wallet.charge(account, source, { key });
    expect(first).toMatchObject({ status: 503, body: { type: '/problems/outcome-unknown', retryable: true } });
    expect(Number(first.headers['retry-after'])).toBeGreaterThan(0);
    expect(await wallet.balanceOf(account)).toBe(0);
    const retry = await wallet.charge(account, source, { key });
    expect(retry.status).toBe(201);
    expect(retry.headers['operation-id']).toBe(first.headers['operation-id']);
    expect(await wallet.provider.charges()).toHaveLength(1);
    expect(await wallet.entriesOf(account)).toEqual([['charge', 500, 500]]);
  });

  it.each(['tok_timeout', 'tok_500'])('C44 %s: the reconciler settles it, and the retry replays', async (source) => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    expect((await wallet.charge(account, source, { key })).status).toBe(503);
    expect(await wallet.reconcile()).toEqual({ settled: 1 });
    const retry = await wallet.charge(account, source, { key });
    expect([retry.status, retry.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await wallet.provider.charges()).toHaveLength(1);
    expect(await wallet.entriesOf(account)).toEqual([['charge', 500, 500]]);
  });

  it('C44 tok_500_clean: is handed to a person after ten, and no charge is made', async () => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    const codes: string[] = [];
    for (let attempt = 1; attempt <= 11; attempt++) {
      const { body } = await wallet.charge(account, 'tok_500_clean', { key });
      codes.push(body.type);
      wallet.advance(60_000);
    }
    expect(new Set(codes.slice(0, 9))).toEqual(new Set(['/problems/outcome-unknown']));
    expect(codes.slice(9)).toEqual(['/problems/needs-attention', '/problems/needs-attention']);
    const last = await wallet.charge(account, 'tok_500_clean', { key });
    expect(last).toMatchObject({ status: 503, body: { retryable: false } });
    expect(last.headers['retry-after']).toBeUndefined();
    expect(last.headers['operation-id']).toMatch(/^op_/);
    expect(await wallet.reconcile()).toEqual({});
    expect(await wallet.provider.charges()).toEqual([]);
  });

  it('is listed where it was booked, not where it began', async () => {
    const account = await wallet.openAccount(100);
    const other = await wallet.openAccount();
    const key = randomUUID();
    await wallet.charge(account, 'tok_500', { key });
    const body = { from: account, to: other, amount: 30 };
    expect((await wallet.send('POST /transfers', '/transfers', { body })).status).toBe(201);
    expect((await wallet.charge(account, 'tok_500', { key })).status).toBe(201);
    expect(await wallet.entriesOf(account)).toEqual([
      ['charge', 500, 570],
      ['transfer', -30, 70],
      ['opening', 100, 100],
    ]);
  });
});

describe('a charge that crashes', () => {
  it('C5 after the provider charged is finished under the same operation id', async () => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    wallet.crashBefore(booking());
    expect((await wallet.charge(account, 'tok_ok', { key })).status).toBe(503);
    expect(await wallet.provider.charges()).toHaveLength(1);
    const early = await wallet.charge(account, 'tok_ok', { key });
    expect(early).toMatchObject({ status: 409, body: { type: '/problems/request-in-flight' } });
    wallet.advance(13_000);
    const retry = await wallet.charge(account, 'tok_ok', { key });
    const [made, ...more] = await wallet.provider.charges();
    expect(retry.status).toBe(201);
    expect([made?.reference, more]).toEqual([retry.headers['operation-id'], []]);
    expect(await wallet.entriesOf(account)).toEqual([['charge', 500, 500]]);
  });

  it('C51 after the charge, then fails cleanly, keeps its operation id and never charges twice', async () => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    wallet.crashBefore(booking());
    await wallet.charge(account, 'tok_ok', { key });
    wallet.advance(13_000);
    wallet.provider.intercept = () => 503;
    const second = await wallet.charge(account, 'tok_ok', { key });
    expect(second).toMatchObject({ status: 503, body: { type: '/problems/outcome-unknown' } });
    wallet.provider.intercept = () => undefined;
    wallet.advance(1_000);
    const third = await wallet.charge(account, 'tok_ok', { key });
    expect([third.status, third.headers['operation-id']]).toEqual([201, second.headers['operation-id']]);
    expect(posts()).toHaveLength(1);
    expect(await wallet.provider.charges()).toHaveLength(1);
  });

  it('C45 is taken over by either the reconciler or a retry, and both see one reply', async () => {
    const account = await wallet.openAccount();
    const key = randomUUID();
    wallet.crashBefore(booking());
    await wallet.charge(account, 'tok_ok', { key });
    wallet.advance(13_000);
    const [retry] = await Promise.all([
      wallet.charge(account, 'tok_ok', { key, prefer: 'wait=5' }),
      wallet.reconcile(),
    ]);
    expect(retry.status).toBe(201);
    expect((await wallet.charge(account, 'tok_ok', { key })).body).toEqual(retry.body);
    expect(await wallet.provider.charges()).toHaveLength(1);
    expect(await wallet.entriesOf(account)).toEqual([['charge', 500, 500]]);
  });
});
