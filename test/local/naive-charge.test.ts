import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { naiveCharge } from '../../lib/local/naive-charge.ts';

async function provider(status: number) {
  const asked: { headers: Record<string, unknown>; body: Record<string, unknown> }[] = [];
  const server = createServer((message, response) => {
    void json(message).then((body) => {
      asked.push({ headers: message.headers, body: body as Record<string, unknown> });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const order = Buffer.from(JSON.stringify({ account: 'acct_alice', amount: 500, source: 'tok_ok' }));

describe('a charge without idempotency', () => {
  it('charges each time, without a key for the provider', async () => {
    const { url, asked } = await provider(201);
    expect((await naiveCharge(url, order, 'k-1')).status).toBe(201);
    expect((await naiveCharge(url, order, 'k-1')).status).toBe(201);
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
    expect(asked.map(({ body }) => body)).toEqual(
      Array(2).fill({
        amount: 500,
        source: 'tok_ok',
        currency: 'EUR',
        reference: expect.stringMatching(/^naive-k-1-/),
      }),
    );
    expect(asked[0]?.body.reference).not.toBe(asked[1]?.body.reference);
  });

  it('passes on that the provider refused', async () => {
    const { url } = await provider(402);
    expect((await naiveCharge(url, order, undefined)).status).toBe(402);
  });

  it.each(['', '{}', '{"amount":0,"source":"tok_ok"}', '{"amount":1.5,"source":"tok_ok"}', '{"amount":5}'])(
    'does not charge for %j',
    async (body) => {
      const { url, asked } = await provider(201);
      expect((await naiveCharge(url, Buffer.from(body), undefined)).status).toBe(400);
      expect(asked).toEqual([]);
    },
  );

  it('is not there where there is no provider', async () => {
    expect((await naiveCharge(undefined, order, undefined)).status).toBe(404);
  });
});
