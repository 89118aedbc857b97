import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshStore } from '../setup/fresh-store.ts';
import { type ProviderServer, startProvider } from '../setup/provider-server.ts';

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider(await freshStore());
});
afterAll(() => provider.stop());

const post = async (
  path: string,
  order: Record<string, unknown>,
  key: string | undefined = String(order.reference),
) => {
  const headers = { 'content-type': 'application/json', ...(key !== '' && { 'idempotency-key': key }) };
  const response = await fetch(provider.url + path, { method: 'POST', headers, body: JSON.stringify(order) });
  return { status: response.status, body: await response.json() };
};
const look = async (path: string, reference: string) => {
  const response = await fetch(`${provider.url}${path}?reference=${reference}`);
  return { status: response.status, body: await response.json() };
};
const order = (source: string) => ({ amount: 500, currency: 'EUR', source, reference: randomUUID() });

describe('a charge', () => {
  it('is made once per key, and found by its reference', async () => {
    const wanted = order('tok_ok');
    const first = await post('/charges', wanted);
    expect(first).toMatchObject({
      status: 201,
      body: { reference: wanted.reference, amount: 500, status: 'succeeded' },
    });
    expect(await post('/charges', wanted)).toEqual({ status: 200, body: first.body });
    expect(await look('/charges', wanted.reference)).toEqual({ status: 200, body: first.body });
    expect(await look('/charges', randomUUID())).toMatchObject({ status: 404 });
  });

  it('is made once of several at once', async () => {
    const wanted = order('tok_ok');
    const answers = await Promise.all([1, 2, 3].map(() => post('/charges', wanted)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('is another one for each request without a key', async () => {
    const wanted = order('tok_ok');
    const answers = [await post('/charges', wanted, ''), await post('/charges', wanted, '')];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body.id).not.toBe(answers[0]?.body.id);
  });

  it('under a used key must be the same, and the key the reference', async () => {
    const wanted = order('tok_ok');
    await post('/charges', wanted);
    expect((await post('/charges', { ...wanted, amount: 501 })).status).toBe(422);
    expect((await post('/charges', { ...wanted, currency: 'USD' })).status).toBe(422);
    expect((await post('/charges', wanted, randomUUID())).status).toBe(400);
  });
});

describe('the card', () => {
  it.each([
    // source, first answer, second answer, look-up, what the first waits
    ['tok_ok', 201, 200, 200, []],
    ['tok_declined', 402, 402, 200, []],
    ['tok_unknown', 402, 402, 200, []],
    ['toString', 402, 402, 200, []],
    ['tok_timeout', 201, 200, 200, [12_000]],
    ['tok_slow', 201, 200, 200, [3_000]],
    ['tok_500', 500, 500, 200, []],
    ['tok_500_clean', 500, 500, 404, []],
  ])('%s is answered %i, then %i, and found %i', async (source, first, second, found, waits) => {
    const wanted = order(source);
    provider.slept.length = 0;
    expect((await post('/charges', wanted)).status).toBe(first);
    expect(provider.slept).toEqual(waits);
    expect((await post('/charges', wanted)).status).toBe(second);
    expect(provider.slept).toEqual(waits);
    expect((await look('/charges', wanted.reference)).status).toBe(found);
  });

  it('tok_timeout does its work before it waits', async () => {
    const wanted = order('tok_timeout');
    const late = post('/charges', wanted);
    await expect.poll(async () => (await look('/charges', wanted.reference)).status, { timeout: 2_000 }).toBe(200);
    expect((await late).status).toBe(201);
  });
});

describe('a refund', () => {
  const charged = async () => (await post('/charges', order('tok_ok'))).body.id as string;

  it('is made once per key, and found by its reference', async () => {
    const wanted = { charge: await charged(), amount: 300, reference: randomUUID() };
    const first = await post('/refunds', wanted);
    expect(first).toMatchObject({
      status: 201,
      body: { reference: wanted.reference, amount: 300, status: 'succeeded' },
    });
    expect(await post('/refunds', wanted)).toEqual({ status: 200, body: first.body });
    expect(await look('/refunds', wanted.reference)).toEqual({ status: 200, body: first.body });
    expect((await post('/refunds', { ...wanted, amount: 1 })).status).toBe(422);
    expect((await look('/refunds', randomUUID())).status).toBe(404);
  });

  it('never exceeds its charge', async () => {
    const charge = await charged();
    const refund = (amount: number) => post('/refunds', { charge, amount, reference: randomUUID() });
    expect((await refund(501)).status).toBe(402);
    const answers = await Promise.all([1, 2, 3].map(() => refund(250)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 402]);
  });

  it('of no charge or of a declined one is declined', async () => {
    const declined = order('tok_declined');
    await post('/charges', declined);
    const { body } = await look('/charges', declined.reference);
    for (const charge of ['pay_none', body.id]) {
      expect((await post('/refunds', { charge, amount: 1, reference: randomUUID() })).status).toBe(402);
    }
  });
});
