import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/protocol/time.ts';
import { environmentProvider } from '../../lib/wallet/environment-provider.ts';
import { httpProvider } from '../../lib/wallet/provider.ts';

const ORDER = { reference: 'op_1', amount: 500, currency: 'EUR', source: 'tok_ok' };
const RECEIPT = { status: 'succeeded', id: 'pay_1', reference: 'op_1', amount: 500 };
const never = new AbortController().signal;

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: unknown;
  body: string;
}

let server: Server | undefined;
let url = '';
let seen: Seen[] = [];
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

/** A provider that always answers the same, or never. */
async function provider(status: number | 'never', body: unknown = {}, headers: Record<string, string> = {}) {
  seen = [];
  server = createServer((request, response) => {
    const { method, url } = request;
    const call: Seen = { method, url, key: request.headers['idempotency-key'], body: '' };
    seen.push(call);
    request.on('data', (chunk) => {
      call.body += chunk;
    });
    if (status === 'never') return;
    request.on('end', () =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return httpProvider({ url, timeout: milliseconds(500) });
}

describe('a call', () => {
  it('carries the operation id as idempotency key and reference', async () => {
    const { charge } = await provider(201, RECEIPT);
    expect(await charge(ORDER, never)).toEqual({
      kind: 'succeeded',
      result: { id: 'pay_1', reference: 'op_1', amount: 500 },
    });
    const [{ body = '', ...call } = {}] = seen;
    expect(call).toEqual({ method: 'POST', url: '/charges', key: 'op_1' });
    expect(JSON.parse(body)).toEqual(ORDER);
  });

  it('that is answered 402 is declined, with its reason where it has one', async () => {
    const { charge } = await provider(402, { status: 'declined', reason: 'x'.repeat(300) });
    expect(await charge(ORDER, never)).toEqual({ kind: 'declined', reason: 'x'.repeat(200) });
    await new Promise((resolve) => server?.close(resolve));
    const silent = await provider(402, 'no JSON');
    expect(await silent.charge(ORDER, never)).toEqual({ kind: 'declined', reason: 'no reason was given' });
  });

  it.each([
    [200, 'no JSON'],
    [200, {}],
    [201, { ...RECEIPT, status: 'pending' }],
    [201, { ...RECEIPT, amount: 501 }],
    [201, { ...RECEIPT, reference: 'op_2' }],
    [201, { ...RECEIPT, id: '' }],
    [400, RECEIPT],
    [404, RECEIPT],
    [409, RECEIPT],
    [429, RECEIPT],
    [500, RECEIPT],
    [503, RECEIPT],
    ['never', undefined],
  ] as const)('that is answered %s %j is unknown', async (status, body) => {
    const { charge, refund } = await provider(status, body);
    expect(await charge(ORDER, never)).toMatchObject({ kind: 'unknown' });
    expect(await refund({ reference: 'op_1', amount: 500, charge: 'pay_0' }, never)).toMatchObject({ kind: 'unknown' });
  });

  it('that is redirected is unknown, and does not follow', async () => {
    const { charge } = await provider(303, '', { location: '/elsewhere' });
    expect(await charge(ORDER, never)).toMatchObject({ kind: 'unknown' });
    expect(seen).toHaveLength(1);
  });

  it('that is aborted, or finds nobody, is unknown', async () => {
    const { charge } = await provider('never');
    expect(await charge(ORDER, AbortSignal.abort(new Error('no time')))).toMatchObject({ kind: 'unknown' });
    const nobody = httpProvider({ url: 'http://127.0.0.1:1', timeout: milliseconds(100) });
    expect(await nobody.charge(ORDER, never)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a look-up', () => {
  it('asks by reference', async () => {
    const { findRefund } = await provider(200, RECEIPT);
    expect(await findRefund({ reference: 'op_1', amount: 500 }, never)).toMatchObject({ kind: 'succeeded' });
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/refunds?reference=op_1' });
  });

  it.each([
    [200, { status: 'declined', reason: 'no' }, { kind: 'declined', reason: 'no' }],
    [404, {}, { kind: 'not-found' }],
    [402, {}, { kind: 'unknown' }],
    [500, {}, { kind: 'unknown' }],
    [200, { ...RECEIPT, amount: 1 }, { kind: 'unknown' }],
  ] as const)('that is answered %i %j is %j', async (status, body, found) => {
    const { findCharge } = await provider(status, body);
    expect(await findCharge({ reference: 'op_1', amount: 500 }, never)).toMatchObject(found);
  });
});

describe('the environment', () => {
  it('must name the provider', () => {
    expect(() => environmentProvider({})).toThrow('PROVIDER_URL is not set');
  });

  it.each(['0', '1.5', 'soon', '-1'])('may not set a timeout of %s', (timeout) => {
    const environment = { PROVIDER_URL: 'http://provider.example', PROVIDER_TIMEOUT_MS: timeout };
    expect(() => environmentProvider(environment)).toThrow('PROVIDER_TIMEOUT_MS must be');
  });

  it('decides the timeout', async () => {
    await provider('never');
    const environment = { PROVIDER_URL: url, PROVIDER_TIMEOUT_MS: '50' };
    const started = performance.now();
    expect(await environmentProvider(environment).charge(ORDER, never)).toMatchObject({ kind: 'unknown' });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
