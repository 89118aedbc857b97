import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../lib/protocol/problems.ts';
import { openWallet, type Wallet } from '../setup/wallet.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await openWallet();
});

const entriesOf = (id: string, query = '') => wallet.get('GET /accounts/{id}/entries', { id }, query);

/** Every entry of an account, page by page. */
async function allPages(id: string, limit: number) {
  const pages: { id: string; amount: number; balance: number }[][] = [];
  let after = '';
  do {
    const { json } = await entriesOf(id, `limit=${limit}${after}`);
    pages.push(json.entries);
    after = json.next === undefined ? '' : `&after=${encodeURIComponent(json.next)}`;
  } while (after !== '');
  return pages;
}

describe('an account', () => {
  it('R19 is 404 when it is not there or not the caller’s', async () => {
    const id = await wallet.openAccount(5, 'EUR', 'bob');
    for (const other of [id, 'acct_none', 'nonsense']) {
      expect(await wallet.get('GET /accounts/{id}', { id: other })).toMatchObject({
        status: 404,
        code: 'account-not-found',
      });
      expect(await entriesOf(other)).toMatchObject({ status: 404, code: 'account-not-found' });
    }
  });

  it('R17 is created with Location and ETag, replayed with both, and every movement changes the ETag', async () => {
    const request = { route: 'POST /accounts', key: randomUUID(), body: { currency: 'EUR', openingBalance: 7 } };
    const [first, again] = [await wallet.call(request), await wallet.call(request)];
    const { id } = first.json;
    expect(first.json).toEqual({ id, currency: 'EUR', balance: 7, credits: 0, version: expect.any(Number) });
    for (const { headers } of [first, again]) {
      expect(headers).toMatchObject({ location: `/accounts/${id}`, etag: expect.stringMatching(/^".+"$/) });
    }
    const read = await wallet.get('GET /accounts/{id}', { id });
    expect([read.json, read.headers.etag]).toEqual([first.json, first.headers.etag]);
    await wallet.transfer({ from: id, to: await wallet.openAccount(), amount: 1 });
    expect((await wallet.get('GET /accounts/{id}', { id })).headers.etag).not.toBe(first.headers.etag);
  });

  it.each([
    ['a currency in small letters', { currency: 'eur' }],
    ['no currency', {}],
    ['an opening balance of 0', { currency: 'EUR', openingBalance: 0 }],
    ['an opening balance of null', { currency: 'EUR', openingBalance: null }],
  ])('R15 with %s is 400', async (_, body) => {
    const refused = await wallet.call({ route: 'POST /accounts', key: randomUUID(), body });
    expect(refused).toMatchObject({ status: 400, code: 'invalid-body' });
  });
});

describe('the entries of an account', () => {
  it('R17 come newest first, page by page, each with the balance after it', async () => {
    const [from, to] = [await wallet.openAccount(100), await wallet.openAccount()];
    for (const amount of [1, 2, 3, 4, 5]) await wallet.transfer({ from, to, amount });
    const pages = await allPages(from, 2);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
    const entries = pages.flat();
    expect(entries.map(({ amount, balance }) => [amount, balance])).toEqual([
      [-5, 85],
      [-4, 90],
      [-3, 94],
      [-2, 97],
      [-1, 99],
      [100, 100],
    ]);
    expect((await allPages(from, 100)).flat()).toEqual(entries);
    expect((await allPages(to, 3)).flat().map(({ balance }) => balance)).toEqual([15, 10, 6, 3, 1]);
  });

  it('R17 on later pages stay what they were when money moves in between', async () => {
    const [from, to] = [await wallet.openAccount(100), await wallet.openAccount()];
    for (const amount of [1, 2]) await wallet.transfer({ from, to, amount });
    const first = await entriesOf(from, 'limit=1');
    await wallet.transfer({ from, to, amount: 50 });
    const second = await entriesOf(from, `after=${first.json.next}`);
    expect(second.json.entries.map(({ balance }: { balance: number }) => balance)).toEqual([99, 100]);
  });

  it.each(['limit=0', 'limit=101', 'limit=-1', 'limit=1.5', 'limit=ten', 'limit=', 'limit=1e1', 'limit=%31%30%30%30'])(
    'R15 with %s are 400',
    async (query) => {
      const id = await wallet.openAccount(1);
      expect(await entriesOf(id, query)).toMatchObject({ status: 400, code: 'invalid-query' });
    },
  );

  it.each(['', 'x', '%', '%00', 'bnVsbA', 'W10', 'WzEsMl0', 'e30', 'a'.repeat(2_000), '../..'])(
    'R15 after %j are 400',
    async (cursor) => {
      const id = await wallet.openAccount(1);
      expect(await entriesOf(id, `after=${cursor}`)).toMatchObject({ status: 400, code: 'invalid-query' });
    },
  );
});

describe('a cursor', () => {
  const uuid = '01900000-0000-7000-8000-000000000000';
  it.each([
    [[['0'.repeat(36)], 1]],
    [[[uuid], 1]],
    [[uuid, '1']],
    [[uuid, [1]]],
    [[uuid, 1.5]],
    [[uuid, 1, 1]],
    [[uuid]],
    [{ 0: uuid, 1: 1 }],
    [uuid],
    [null],
  ])('R15 of %j is 400', async (value) => {
    const id = await wallet.openAccount(1);
    const cursor = Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await entriesOf(id, `after=${cursor}`)).toMatchObject({ status: 400, code: 'invalid-query' });
  });
});

describe('a transfer', () => {
  it('R16 says no for good: too little, no account, another currency, too much', async () => {
    const from = await wallet.openAccount(10);
    const full = await wallet.openAccount(Number.MAX_SAFE_INTEGER);
    const cases = [
      [{ from, to: full, amount: 11 }, 402, 'insufficient-funds'],
      [{ from, to: 'acct_none', amount: 1 }, 404, 'account-not-found'],
      [{ from: 'acct_none', to: from, amount: 1 }, 404, 'account-not-found'],
      [{ from, to: await wallet.openAccount(undefined, 'USD'), amount: 1 }, 422, 'currency-mismatch'],
      [{ from, to: full, amount: 1 }, 422, 'balance-limit'],
    ] as const;
    for (const [body, status, code] of cases) {
      const key = randomUUID();
      const first = await wallet.transfer(body, key);
      expect(first).toMatchObject({ status, code, replayed: false, json: { retryable: false } });
      expect(await wallet.transfer(body, key)).toMatchObject({ status, replayed: true, text: first.text });
    }
    expect((await wallet.get('GET /accounts/{id}', { id: from })).json.balance).toBe(10);
  });

  it('R4 takes only from the caller’s own account', async () => {
    const his = await wallet.openAccount(10, 'EUR', 'bob');
    const mine = await wallet.openAccount();
    expect(await wallet.transfer({ from: his, to: mine, amount: 1 })).toMatchObject({ status: 404 });
    const made = await wallet.transfer({ from: his, to: mine, amount: 1 }, undefined, { caller: 'bob' });
    expect(made.status).toBe(201);
    expect(await wallet.get('GET /transfers/{id}', { id: made.json.id })).toMatchObject({
      status: 404,
      code: 'transfer-not-found',
    });
  });

  it('R6 has members that are not looked at, but count for the fingerprint', async () => {
    const [from, to] = [await wallet.openAccount(10), await wallet.openAccount()];
    const key = randomUUID();
    expect(await wallet.transfer({ from, to, amount: 1, note: 'a' }, key)).toMatchObject({ status: 201 });
    expect(await wallet.transfer({ from, to, amount: 1, note: 'b' }, key)).toMatchObject({ status: 422 });
  });
});

describe('a problem', () => {
  it.each(Object.keys(PROBLEMS))('R19 %s is answered at its URL, as the table says', async (code) => {
    const { status, title, retryable } = PROBLEMS[code as keyof typeof PROBLEMS];
    expect(await wallet.get('GET /problems/{code}', { code })).toMatchObject({
      status: 200,
      json: { type: `/problems/${code}`, status, title, retryable },
    });
  });

  it.each(['none', 'constructor', '__proto__', 'toString'])('R19 %s is not one', async (code) => {
    expect(await wallet.get('GET /problems/{code}', { code })).toMatchObject({
      status: 404,
      code: 'problem-not-found',
    });
  });

  it('R19 has its members, its media type and the operation', async () => {
    const refused = await wallet.transfer({ from: 'acct_a', to: 'acct_b', amount: 1 });
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(refused.json).toEqual({
      type: '/problems/account-not-found',
      title: PROBLEMS['account-not-found'].title,
      status: 404,
      detail: expect.stringContaining('acct_a'),
      retryable: false,
      operation: refused.headers['operation-id'],
    });
  });

  it('R19 of a route that is none is 404', async () => {
    const route = 'PATCH /accounts/{id}';
    expect(await wallet.call({ route, path: '/accounts/a', gateway: 'Function URL' })).toMatchObject({
      status: 404,
      code: 'route-not-found',
    });
  });
});
