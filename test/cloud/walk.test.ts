import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { revokeApiKey } from '../../lib/http/api-keys.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { callsOf, type HttpCaller, newCaller } from '../setup/http-caller.ts';

let alice: HttpCaller;
let bob: HttpCaller;
let from: string;
let to: string;

beforeAll(async () => {
  [alice, bob] = await Promise.all([newCaller(), newCaller()]);
  [from, to] = await Promise.all([alice.openAccount(100_000), bob.openAccount(100_000)]);
});

const transfersIn = (entries: readonly { readonly kind: string }[]) =>
  entries.filter(({ kind }) => kind === 'transfer');

describe('the walk of the README', () => {
  const key = `walk-${randomUUID()}`;
  const body = () => ({ from, to, amount: 500 });

  it('R17 answers the same request with the same bytes, and moves the money once', async () => {
    const first = await alice.post('/transfers', { key, body: body() });
    const again = await alice.post('/transfers', { key, body: body() });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(first.json).toEqual({ id: expect.stringMatching(/^tr_/), ...body(), createdAt: expect.any(String) });
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const name of ['location', 'content-type', 'operation-id']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(first.headers.get('location')).toBe(`/transfers/${first.json.id}`);
    expect((await alice.get(`/transfers/${first.json.id}`)).json).toEqual(first.json);
    expect(await alice.balanceOf(from)).toBe(99_500);
  });

  it('R7 refuses another amount under the same key', async () => {
    const other = await alice.post('/transfers', { key, body: { ...body(), amount: 501 } });
    expect(other).toMatchObject({ status: 422, json: { type: '/problems/idempotency-key-reused', retryable: false } });
    expect(other.headers.get('operation-id')).toMatch(/^op_/);
  });

  it('R2 refuses a request without a key', async () => {
    expect(await alice.post('/transfers', { body: body() })).toMatchObject({
      status: 400,
      json: { type: '/problems/idempotency-key-missing' },
    });
  });

  it("C23 gives bob an operation of his own under alice's key", async () => {
    const [mine, his] = await Promise.all([
      alice.post('/transfers', { key, body: body() }),
      bob.post('/transfers', { key, body: { from: to, to: from, amount: 7 } }),
    ]);
    expect([mine.status, his.status]).toEqual([201, 201]);
    expect(his.headers.get('idempotent-replayed')).toBeNull();
    expect(his.headers.get('operation-id')).not.toBe(mine.headers.get('operation-id'));
  });

  it('C23 keeps two callers apart who send the very same request', async () => {
    const shared = `shared-${randomUUID()}`;
    const request = { key: shared, body: { currency: 'EUR', openingBalance: 3 } };
    const [mine, his] = await Promise.all([alice.post('/accounts', request), bob.post('/accounts', request)]);
    expect([mine.status, his.status]).toEqual([201, 201]);
    expect(his.json.id).not.toBe(mine.json.id);
    expect((await bob.get(`/accounts/${mine.json.id}`)).status).toBe(404);
  });

  it('R17 lists one transfer of hers and one of his', async () => {
    const listed = transfersIn(await alice.entriesOf(from));
    expect(listed).toMatchObject([
      { kind: 'transfer', amount: 7, balance: 99_507 },
      { kind: 'transfer', amount: -500, balance: 99_500 },
    ]);
  });
});

describe('a request in another spelling', () => {
  it('C9 is the same with permuted members, pretty-printed, and with the key quoted', async () => {
    const key = randomUUID();
    const first = await alice.post('/transfers', {
      key,
      body: `{"from":"${from}","to":"${to}","amount":1,"m":{"a":1,"b":[2]}}`,
    });
    const pretty = `{\n  "m": { "b": [ 2 ], "a": 1 },\n  "amount": 1,\n  "to": "${to}",\n  "from": "${from}"\n}`;
    const again = await alice.post('/transfers', { key: `"${key}"`, body: pretty });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a revoked key', () => {
  it('R4 is refused on a replay too', async () => {
    const carol = await newCaller();
    const account = await carol.openAccount(10);
    const request = { key: randomUUID(), body: { from: account, to, amount: 1 } };
    expect((await carol.post('/transfers', request)).status).toBe(201);
    await revokeApiKey(carol.table, { keyId: carol.apiKey.keyId, now: milliseconds(Date.now()) });
    const refused = await carol.post('/transfers', request);
    expect(refused).toMatchObject({ status: 401, json: { type: '/problems/unauthenticated' } });
    expect(refused.headers.get('operation-id')).toBeNull();
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('what it costs', () => {
  it('R9 is one write request of eight units for a new transfer, and one for its replay', async () => {
    const request = { key: randomUUID(), body: { from, to, amount: 2 } };
    const first = await alice.post('/transfers', request);
    const operation = first.headers.get('operation-id') ?? '';
    const afterFirst = await callsOf(operation);
    expect(afterFirst.map(({ action }) => action)).toEqual(['dynamodb:GetItem', 'dynamodb:TransactWriteItems']);
    expect(afterFirst[1]).toMatchObject({ status: 200, items: 4, writeUnits: 8 });
    await alice.post('/transfers', request);
    expect((await callsOf(operation)).slice(2).map(({ action }) => action)).toEqual([
      'dynamodb:GetItem',
      'dynamodb:TransactWriteItems',
    ]);
  });

  it('R24 is one read for a replay that the client announces', async () => {
    const request = { key: randomUUID(), body: { from, to, amount: 3 } };
    const first = await alice.post('/transfers', request);
    const again = await alice.post('/transfers', { ...request, headers: { 'idempotency-attempt': '2' } });
    expect([again.status, again.text]).toEqual([201, first.text]);
    const calls = await callsOf(first.headers.get('operation-id') ?? '');
    expect(calls.slice(2).map(({ action, tables }) => [action, tables])).toEqual([
      ['dynamodb:GetItem', [inject('cloud').tableNames.data]],
      ['dynamodb:GetItem', [inject('cloud').tableNames.idempotency]],
    ]);
  });
});
