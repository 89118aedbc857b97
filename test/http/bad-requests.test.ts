import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWallet, type Wallet } from '../setup/wallet.ts';

let wallet: Wallet;
let from: string;
let to: string;
let recordsBefore: number;
beforeAll(async () => {
  wallet = await openWallet();
  [from, to] = await Promise.all([wallet.openAccount(1_000_000), wallet.openAccount()]);
});
beforeEach(async () => {
  recordsBefore = await wallet.countRecords();
});

/** Nothing was claimed, and the key still works for the corrected request. */
async function expectKeyStillUsable(key: string): Promise<void> {
  expect(await wallet.countRecords()).toBe(recordsBefore);
  expect(await wallet.transfer({ from, to, amount: 1 }, key)).toMatchObject({ status: 201, replayed: false });
}

describe('an Idempotency-Key', () => {
  it.each([
    ['an empty one', ''],
    ['an empty string', '""'],
    ['a lone quote', '"'],
    ['256 characters', 'k'.repeat(256)],
    ['a list', 'a,b'],
    ['a parameter', '"a";v=1'],
    ['a line break', 'a\nb'],
    ['a letter outside ASCII', 'schlüssel'],
    ['a bare backslash', 'a\\b'],
    ['a bare blank', 'a b'],
  ])('C41 %s is refused', async (_, key) => {
    const refused = await wallet.transfer({ from, to, amount: 1 }, key);
    expect(refused).toMatchObject({ status: 400, code: 'idempotency-key-invalid' });
    expect(await wallet.countRecords()).toBe(recordsBefore);
  });

  it('R1 of 255 characters is taken, and means the same quoted', async () => {
    const key = `${randomUUID()}-`.padEnd(255, 'k');
    const first = await wallet.transfer({ from, to, amount: 1 }, key);
    expect(await wallet.transfer({ from, to, amount: 1 }, ` "${key}" `)).toMatchObject({
      replayed: true,
      text: first.text,
    });
  });
});

describe('a transfer', () => {
  it.each([
    ['to the same account', () => ({ from, to: from, amount: 1 }), '/to'],
    ['of nothing', () => ({ from, to, amount: 0 }), '/amount'],
    ['of a negative amount', () => ({ from, to, amount: -1 }), '/amount'],
    ['of a fraction', () => ({ from, to, amount: 1.5 }), '/amount'],
    ['of a text', () => ({ from, to, amount: '500' }), '/amount'],
    ['of null', () => ({ from, to, amount: null }), '/amount'],
    ['from nowhere', () => ({ to, amount: 1 }), '/from'],
    ['from a number', () => ({ from: 7, to, amount: 1 }), '/from'],
    ['to an id of another kind', () => ({ from, to: 'tr_1', amount: 1 }), '/to'],
    ['that is a list', () => [from, to, 1], ''],
  ])('C49 %s is 400 and says where', async (_, body, path) => {
    const key = randomUUID();
    const refused = await wallet.transfer(body(), key);
    expect(refused).toMatchObject({ status: 400, code: 'invalid-body' });
    expect(refused.json.errors.map((error: { path: string }) => error.path)).toContain(path);
    await expectKeyStillUsable(key);
  });

  it('C49 of 2^53 is 400', async () => {
    const key = randomUUID();
    const refused = await wallet.transfer(`{"from":"${from}","to":"${to}","amount":9007199254740992}`, key);
    expect(refused).toMatchObject({ status: 400, code: 'invalid-body' });
    await expectKeyStillUsable(key);
  });
});

describe('a body', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each([
    ['C18', 'an integer that JSON readers disagree on', '"x":9007199254740993'],
    ['C20', 'a repeated member', '"amount":2'],
    ['C20', 'a lone surrogate', '"x":"\\ud800"'],
    ['C20', 'an overflow', '"x":1e400'],
    ['C20', 'an underflow', '"x":1e-400'],
    ['C20', '65 levels', `"x":${nested(64)}`],
    ['R6', 'a large integer in another spelling', '"x":1e20'],
  ])('%s with %s is 400, though it is a transfer otherwise', async (_, __, member) => {
    const key = randomUUID();
    const body = `{"from":"${from}","to":"${to}","amount":1,${member}}`;
    expect(await wallet.transfer(body, key)).toMatchObject({ status: 400, code: 'invalid-body' });
    await expectKeyStillUsable(key);
  });

  it.each([
    ['no JSON', '{amount:1}'],
    ['two values', '{} {}'],
    ['a byte order mark', '\ufeff{}'],
    ['no object', 'null'],
  ])('R6 with %s is 400', async (_, body) => {
    const key = randomUUID();
    expect(await wallet.transfer(body, key)).toMatchObject({ status: 400, code: 'invalid-body' });
    await expectKeyStillUsable(key);
  });

  it('R6 that is no UTF-8 is 400', async () => {
    const key = randomUUID();
    const event = await wallet.eventOf({ route: 'POST /transfers', key });
    const bytes = { ...event, body: Buffer.from([0x22, 0xff, 0x22]).toString('base64'), isBase64Encoded: true };
    expect(await wallet.invoke('POST /transfers', bytes as never)).toMatchObject({ status: 400, code: 'invalid-body' });
    await expectKeyStillUsable(key);
  });

  it('R6 that is missing is 400', async () => {
    const key = randomUUID();
    expect(await wallet.transfer(undefined, key)).toMatchObject({ status: 400, code: 'invalid-body' });
    await expectKeyStillUsable(key);
  });

  it('C19 with another __proto__ is another request', async () => {
    const key = randomUUID();
    const body = (amount: number) => `{"from":"${from}","to":"${to}","amount":1,"__proto__":{"amount":${amount}}}`;
    expect(await wallet.transfer(body(5), key)).toMatchObject({ status: 201, json: { amount: 1 } });
    expect(await wallet.transfer(body(500), key)).toMatchObject({ status: 422, code: 'idempotency-key-reused' });
  });

  it('R6 of 262,144 bytes is taken, and one byte more is 413', async () => {
    const key = randomUUID();
    const sized = (size: number) =>
      `{"from":"${from}","to":"${to}","amount":1,"pad":"`
        .padEnd(size - 2, '€')
        .replaceAll('€', 'e')
        .concat('"}');
    expect(await wallet.transfer(sized(262_145), key)).toMatchObject({ status: 413, code: 'body-too-large' });
    expect(await wallet.countRecords()).toBe(recordsBefore);
    expect(await wallet.transfer(sized(262_144), key)).toMatchObject({ status: 201 });
    expect(await wallet.transfer(sized(262_145), key)).toMatchObject({ status: 413 });
  });

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/merge-patch+json',
    '',
    'application/json, text/plain',
    'application/json,',
    'application/json; charset=utf-8; charset=latin1',
    'application/json charset=utf-8',
  ])('R15 of media type "%s" is 415', async (type) => {
    const key = randomUUID();
    const refused = await wallet.transfer({ from, to, amount: 1 }, key, {
      headers: { 'content-type': type, 'Content-Type': type },
    });
    expect(refused).toMatchObject({ status: 415, code: 'media-type-unsupported' });
    await expectKeyStillUsable(key);
  });

  it.each([
    ...['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"', 'application/json;'],
    ...['application/json ; ', 'application/json;;charset=utf-8; ;'],
  ])('R6 of media type %s is JSON', async (type) => {
    const headers = { 'content-type': type, 'Content-Type': type };
    expect(await wallet.transfer({ from, to, amount: 1 }, undefined, { headers })).toMatchObject({ status: 201 });
  });

  it('R7 that fails its schema under a taken key is a mismatch, but one that is no JSON stays 400', async () => {
    const key = randomUUID();
    await wallet.transfer({ from, to, amount: 1 }, key);
    expect(await wallet.transfer({ from, to, amount: 0 }, key)).toMatchObject({ code: 'idempotency-key-reused' });
    expect(await wallet.transfer('{', key)).toMatchObject({ status: 400 });
    expect(await wallet.transfer({ from, to, amount: 1 }, key)).toMatchObject({ replayed: true });
  });
});

describe('a caller', () => {
  it.each([
    ['without a key', undefined],
    ['with an empty one', 'Bearer '],
    ['with an unknown one', 'Bearer sk_live_unknown'],
    ['with another scheme', 'Basic YTpi'],
    ['with two', 'Bearer a, Bearer b'],
    ['with an overlong one', `Bearer ${'x'.repeat(5_000)}`],
  ])('R4 %s is 401, before anything else is looked at', async (_, authorization) => {
    const event = await wallet.eventOf({ route: 'POST /transfers', key: '"', body: '{' });
    const { Authorization: __, ...headers } = event.headers as Record<string, string>;
    const sent = { ...event, headers: { ...headers, ...(authorization && { authorization }) } };
    const refused = await wallet.invoke('POST /transfers', sent as never);
    expect(refused).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  });

  it('R4 whose API key was revoked is 401 on a replay, and on reads', async () => {
    const caller = 'mallory';
    const account = await wallet.openAccount(10, 'EUR', caller);
    const request = { key: randomUUID(), body: { from: account, to, amount: 1 } };
    expect(await wallet.transfer(request.body, request.key, { caller })).toMatchObject({ status: 201 });
    await wallet.revoke(caller);
    expect(await wallet.transfer(request.body, request.key, { caller })).toMatchObject({ status: 401 });
    const read = { route: 'GET /accounts/{id}', path: `/accounts/${account}`, params: { id: account }, caller };
    expect(await wallet.call(read)).toMatchObject({ status: 401 });
  });
});
