import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { type HttpCaller, newCaller } from '../setup/http-caller.ts';

let cloud: LocalCloud;
let caller: HttpCaller;
let from: string;
let to: string;

/** A cloud of its own: the outage would hit the other tests. */
beforeAll(async () => {
  const { assembly, dynamodbEndpoint } = inject('cloud');
  cloud = await startLocalCloud({ assembly, dynamodbEndpoint, port: 0 });
  caller = await newCaller(cloud);
  from = await caller.openAccount(100);
  to = await caller.openAccount();
});
afterAll(() => cloud.stop());

describe('an unreachable store', () => {
  it('C36 is 503 with Retry-After within three seconds, and nothing is done', async () => {
    const request = { key: randomUUID(), body: { from, to, amount: 1 } };
    const before = await caller.post('/transfers', request);
    cloud.proxy.outage(true);
    for (const [method, path, sent] of [
      ['POST', '/transfers', { key: randomUUID(), body: { from, to, amount: 1 } }],
      ['POST', '/transfers', request],
      ['POST', '/charges', { key: randomUUID(), body: { account: from, amount: 1, source: 'tok_ok' } }],
      ['POST', '/accounts', { key: randomUUID(), body: { currency: 'EUR' } }],
      ['GET', `/accounts/${from}`, {}],
      ['GET', `/accounts/${from}/entries`, {}],
    ] as const) {
      const started = performance.now();
      const reply = await caller.send(method, path, sent);
      expect(performance.now() - started).toBeLessThan(3_000);
      expect(reply).toMatchObject({ status: 503, json: { type: '/problems/store-unavailable', retryable: true } });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    cloud.proxy.outage(false);
    expect((await caller.post('/transfers', request)).text).toBe(before.text);
    expect(await caller.balanceOf(from)).toBe(99);
    const { providerCharges } = await (await fetch(`${cloud.url}/_local/state`)).json();
    expect(providerCharges).toEqual([]);
  });
});
