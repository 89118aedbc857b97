import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { GATEWAYS, type Gateway } from '../setup/gateway-event.ts';
import { openWallet, type Wallet } from '../setup/wallet.ts';

let wallet: Wallet;
let from: string;
let to: string;
beforeAll(async () => {
  wallet = await openWallet();
  [from, to] = await Promise.all([wallet.openAccount(1_000), wallet.openAccount()]);
});

const gateways = Object.keys(GATEWAYS) as Gateway[];
const body = () => ({ from, to, amount: 1 });
const base64 = <E extends { body?: string | null }>(event: E): E => ({
  ...event,
  body: Buffer.from(event.body ?? '').toString('base64'),
  isBase64Encoded: true,
});

describe.each(gateways)('behind a %s', (gateway) => {
  it('R17 a transfer happens once and is replayed', async () => {
    const key = randomUUID();
    const first = await wallet.transfer(body(), key, { gateway });
    const again = await wallet.transfer(body(), key, { gateway });
    expect(first).toMatchObject({ status: 201, replayed: false });
    expect(again).toMatchObject({ status: 201, replayed: true, text: first.text });
    const route = 'GET /transfers/{id}';
    const { id } = first.json;
    expect(await wallet.call({ route, path: `/transfers/${id}`, params: { id }, gateway })).toMatchObject({
      status: 200,
      json: first.json,
    });
  });

  it('C21 a base64-encoded body is the same request as the plain one', async () => {
    const request = { route: 'POST /transfers', key: randomUUID(), body: body(), gateway };
    const first = await wallet.call(request);
    const again = await wallet.invoke(request.route, base64(await wallet.eventOf(request)));
    expect(again).toMatchObject({ status: 201, replayed: true, text: first.text });
  });

  it('C22 header names may be spelled in any case', async () => {
    const key = randomUUID();
    const first = await wallet.transfer(body(), undefined, { gateway, headers: { 'Idempotency-Key': key } });
    const event = await wallet.eventOf({ route: 'POST /transfers', body: body(), gateway });
    const respelled = Object.entries({ ...event.headers, 'IDEMPOTENCY-key': key }).map(([name, value]) => [
      name.startsWith('IDEM') ? name : name.toUpperCase(),
      value,
    ]);
    const headers = Object.fromEntries(respelled);
    const again = await wallet.invoke('POST /transfers', { ...event, headers, multiValueHeaders: null } as never);
    expect(again).toMatchObject({ status: 201, replayed: true, text: first.text });
  });

  it('C10 two requests without a key are two 400s and no effect', async () => {
    const before = await wallet.countRecords();
    for (const _ of [1, 2]) {
      const refused = await wallet.call({ route: 'POST /transfers', body: body(), gateway });
      expect(refused).toMatchObject({ status: 400, code: 'idempotency-key-missing' });
    }
    expect(await wallet.countRecords()).toBe(before);
  });

  it('R19 a path that is none is 404 or 400, never 5xx', async () => {
    const odd = [
      '/accounts/acct_none',
      '/accounts/%',
      '/accounts/%E0%A4%A',
      `/accounts/${'x'.repeat(3_000)}`,
      '/accounts/%00',
    ];
    for (const path of odd) {
      const id = decodeSafely(path.slice('/accounts/'.length));
      const reply = await wallet.call({ route: 'GET /accounts/{id}', path, params: { id }, gateway });
      expect([404, 400]).toContain(reply.status);
      expect(reply.headers['content-type']).toBe('application/problem+json');
    }
  });
});

const decodeSafely = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

describe('one request', () => {
  it('R5 is the same through every gateway', async () => {
    const key = randomUUID();
    const replies = [];
    for (const gateway of gateways) replies.push(await wallet.transfer(body(), key, { gateway }));
    expect(replies.map(({ status, replayed }) => [status, replayed])).toEqual([
      [201, false],
      [201, true],
      [201, true],
    ]);
  });

  it('R5 is the same below a named stage', async () => {
    const key = randomUUID();
    const first = await wallet.transfer(body(), key);
    const event = await wallet.eventOf({ route: 'POST /transfers', path: '/prod/transfers', key, body: body() });
    const staged = { ...event, requestContext: { ...event.requestContext, stage: 'prod' } };
    expect(await wallet.invoke('POST /transfers', staged as never)).toMatchObject({ replayed: true, text: first.text });
  });

  it('R5 is another with a query', async () => {
    const key = randomUUID();
    await wallet.transfer(body(), key);
    const other = await wallet.transfer(body(), key, { rawQuery: 'dry=1' });
    expect(other).toMatchObject({ status: 422, code: 'idempotency-key-reused' });
  });

  it('R1 with the key sent twice is refused, through a REST API too', async () => {
    const event = await wallet.eventOf({ route: 'POST /transfers', body: body(), gateway: 'REST API' });
    const twice = {
      ...event,
      multiValueHeaders: {
        ...('multiValueHeaders' in event && event.multiValueHeaders),
        'idempotency-key': ['a', 'a'],
      },
    };
    expect(await wallet.invoke('POST /transfers', twice as never)).toMatchObject({
      status: 400,
      code: 'idempotency-key-invalid',
    });
  });

  it('R3 under a key that another endpoint has seen is a mismatch', async () => {
    const key = randomUUID();
    await wallet.transfer(body(), key);
    expect(await wallet.call({ route: 'POST /accounts', key, body: { currency: 'EUR' } })).toMatchObject({
      status: 422,
    });
  });
});
