import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Progress } from '../../lib/client/progress.ts';
import { createRetryingFetch } from '../../lib/client/retrying-fetch.ts';
import { CLIENT_RETRY_HORIZON } from '../../lib/protocol/retention.ts';
import { failureOf, impatientClient } from './impatient-client.ts';
import { problem } from './problem.ts';
import { storage } from './storage.ts';
import { type Received, type Step, troubledServer } from './troubled-server.ts';

const CREATED: Step = { status: 201, body: 'done' };
const SLOWLY: Step = { ...CREATED, after: 150 };
const order = { method: 'POST', body: '{"amount":500}' };
const changed = { method: 'POST', body: '{"amount":900}' };

const keysOf = (received: readonly Received[]) => received.map(({ headers }) => headers['idempotency-key']);
describe('an intent', () => {
  it('R39 has one key for all attempts and all calls', async () => {
    const server = await troubledServer('reset', { status: 503 }, CREATED);
    const pay = impatientClient().intent('order-8421');
    await pay(server.url, order);
    await pay(server.url, order);
    const [key, ...others] = keysOf(server.received);
    expect(key).toMatch(/^\d{1,20}-\d{1,20}$/);
    expect(others).toEqual([key, key, key]);
  });

  it('R39 has a key of its own', async () => {
    const server = await troubledServer(CREATED);
    const retryingFetch = impatientClient();
    await retryingFetch.intent('order-1')(server.url, order);
    await retryingFetch.intent('order-2')(server.url, order);
    expect(new Set(keysOf(server.received)).size).toBe(2);
  });

  it('R39 keeps its key before the first attempt', async () => {
    const kept = storage();
    let keptAtFirst: string | undefined;
    const fetch = async () => {
      keptAtFirst ??= kept.items.get('semel:intent:order-8421');
      return new Response(null, { status: 201 });
    };
    const pay = impatientClient({ storage: kept, fetch }).intent('order-8421');
    await pay('http://localhost/', order);
    expect(JSON.parse(keptAtFirst ?? '')).toMatchObject({ key: await pay.key() });
  });

  it('R39 survives a restart, and then retries from its first attempt on', async () => {
    const server = await troubledServer('reset', CREATED);
    const kept = storage();
    await failureOf(impatientClient({ storage: kept, attempts: 1 }).intent('order-8421')(server.url, order));
    await impatientClient({ storage: kept }).intent('order-8421')(server.url, order);
    const [before, after] = server.received;
    expect(after?.headers['idempotency-key']).toBe(before?.headers['idempotency-key']);
    expect(after?.headers['idempotency-attempt']).toBe('2');
  });

  it('R39 does not know after a restart what happened before', async () => {
    const server = await troubledServer({ status: 429 });
    const kept = storage();
    await impatientClient({ storage: kept }).intent('order-8421').key();
    const error = await failureOf(
      impatientClient({ storage: kept, attempts: 1 }).intent('order-8421')(server.url, order),
    );
    expect(error.outcome).toBe('unknown');
  });

  it('R39 is made once, however slow the storage', async () => {
    const server = await troubledServer(CREATED);
    const pay = impatientClient({ storage: storage(30) }).intent('order-8421');
    await Promise.all([pay(server.url, order), pay(server.url, changed), pay.key()]);
    expect(new Set(keysOf(server.received)).size).toBe(1);
  });

  it('R39 is made once where there are no locks, as on insecure pages', async () => {
    vi.stubGlobal('navigator', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const server = await troubledServer(CREATED);
    const pay = impatientClient({ storage: storage(30) }).intent('order-8421');
    await Promise.all([pay(server.url, order), pay(server.url, changed)]);
    expect(new Set(keysOf(server.received)).size).toBe(1);
  });

  it('R39 is made once for two tabs with one storage', async () => {
    const server = await troubledServer(CREATED);
    const shared = storage(30);
    const tabs = [impatientClient({ storage: shared }), impatientClient({ storage: shared })];
    await Promise.all(tabs.map((tab) => tab.intent('order-8421')(server.url, order)));
    expect(server.received.length).toBe(2);
    expect(new Set(keysOf(server.received)).size).toBe(1);
  });

  it('R39 that is forgotten is another one', async () => {
    const server = await troubledServer(CREATED);
    const pay = impatientClient().intent('order-8421');
    await pay(server.url, order);
    await pay.forget();
    await pay(server.url, order);
    expect(new Set(keysOf(server.received)).size).toBe(2);
  });

  it('R39 sends nothing that it could not keep', async () => {
    const server = await troubledServer(CREATED);
    const full = { ...storage(), setItem: () => Promise.reject(new Error('quota exceeded')) };
    const error = await failureOf(impatientClient({ storage: full }).intent('order-8421')(server.url, order));
    expect(error).toMatchObject({ problem: 'storage', outcome: 'none', attempts: 0 });
    const unreadable = { ...storage(), getItem: () => '{' };
    const doubtful = await failureOf(impatientClient({ storage: unreadable }).intent('order-8421')(server.url, order));
    expect(doubtful).toMatchObject({ problem: 'storage', outcome: 'unknown' });
    expect(server.received).toEqual([]);
  });

  it('R40 stops before the server forgets its key', async () => {
    const server = await troubledServer(CREATED);
    const kept = storage();
    const made = { key: 'old', madeAt: Date.now() - 86_395_000 };
    kept.items.set('semel:intent:order-8421', JSON.stringify(made));
    const pay = impatientClient({ storage: kept }).intent('order-8421');
    expect(await failureOf(pay(server.url, order))).toMatchObject({
      problem: 'key-expired',
      outcome: 'unknown',
      attempts: 0,
    });
    expect(server.received).toEqual([]);
    const longer = impatientClient({ storage: kept, retention: 30 * 86_400_000 }).intent('order-8421');
    expect((await longer(server.url, order)).status).toBe(201);
  });

  it('R23 R40 sends a key for as long as endpoints keep its answer at the least, and no longer', async () => {
    const server = await troubledServer(CREATED, CREATED);
    const sentAfter = async (age: number) => {
      const kept = storage();
      kept.items.set('semel:intent:order-8421', JSON.stringify({ key: 'old', madeAt: Date.now() - age }));
      await createRetryingFetch({ storage: kept })
        .intent('order-8421')(server.url, order)
        .catch(() => undefined);
      return server.received.length;
    };
    const horizon = CLIENT_RETRY_HORIZON * 1_000;
    expect([await sentAfter(horizon), await sentAfter(horizon - 60_000)]).toEqual([0, 1]);
  });

  it('R40 stops in the middle of its retries when the key gets too old', async () => {
    const server = await troubledServer({ status: 503 });
    const pay = impatientClient({
      retention: 400,
      attemptTimeout: 100,
      attempts: 1_000,
      backoff: { base: 50, cap: 50 },
    });
    const error = await failureOf(pay.intent('order-8421')(server.url, order));
    expect(error).toMatchObject({ problem: 'key-expired', outcome: 'unknown' });
    expect(server.received.length).toBeGreaterThan(1);
  });
});

describe('a double tap', () => {
  it('R39 joins the first call, and both read its answer', async () => {
    const server = await troubledServer(SLOWLY);
    const told: Progress[] = [];
    const pay = impatientClient({ onProgress: (progress) => told.push(progress) }).intent('order-8421');
    const answers = await Promise.all([pay(server.url, order), pay(server.url, order), pay(server.url, order)]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['done', 'done', 'done']);
    expect(server.received.length).toBe(1);
    expect(told.filter(({ kind }) => kind === 'joined').length).toBe(2);
  });

  it('R39 R40 whose body is ready later does not take the key for unused', async () => {
    const server = await troubledServer('reset', { status: 401 });
    const pay = impatientClient({ attempts: 1 }).intent('order-8421');
    const slowly = new ReadableStream({
      start: async (controller) => {
        await new Promise((later) => setTimeout(later, 60));
        controller.enqueue(new TextEncoder().encode(order.body));
        controller.close();
      },
    });
    const streamed: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body: slowly, duplex: 'half' };
    const errors = await Promise.all([failureOf(pay(server.url, order)), failureOf(pay(server.url, streamed))]);
    expect(errors.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    expect(errors[1]?.response?.status).toBe(401);
  });

  it('R39 joins a failure too', async () => {
    const server = await troubledServer(problem('needs-attention'));
    const pay = impatientClient().intent('order-8421');
    const [one, other] = await Promise.all([failureOf(pay(server.url, order)), failureOf(pay(server.url, order))]);
    expect(one).toBe(other);
    expect(server.received.length).toBe(1);
  });

  it('R39 with another amount goes to the server, which refuses it', async () => {
    const server = await troubledServer(SLOWLY, { status: 422 });
    const pay = impatientClient().intent('order-8421');
    const answers = await Promise.all([pay(server.url, order), pay(server.url, changed)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 422]);
    expect(new Set(keysOf(server.received)).size).toBe(1);
  });

  it('R39 goes to another address, or for another caller, by itself', async () => {
    const server = await troubledServer(SLOWLY);
    const pay = impatientClient().intent('order-8421');
    await Promise.all([
      pay(server.url, order),
      pay(`${server.url}/elsewhere`, order),
      pay(server.url, { ...order, headers: { authorization: 'Bearer other' } }),
    ]);
    expect(server.received.length).toBe(3);
  });

  it('R39 goes to the server again once the first call is over', async () => {
    const server = await troubledServer(CREATED);
    const pay = impatientClient().intent('order-8421');
    await pay(server.url, order);
    await pay(server.url, order);
    expect(server.received.length).toBe(2);
  });

  it('R39 goes on for one when the other leaves', async () => {
    const server = await troubledServer(SLOWLY);
    const pay = impatientClient().intent('order-8421');
    const leaving = failureOf(pay(server.url, { ...order, signal: AbortSignal.timeout(30) }));
    const staying = pay(server.url, order);
    expect(await leaving).toMatchObject({ name: 'AbortError', problem: 'aborted', outcome: 'unknown' });
    expect((await staying).status).toBe(201);
  });

  it('R39 ends when everybody has left', async () => {
    const server = await troubledServer('silence');
    const pay = impatientClient().intent('order-8421');
    const leaving = [30, 60].map((time) => failureOf(pay(server.url, { ...order, signal: AbortSignal.timeout(time) })));
    const [, last] = await Promise.all(leaving);
    expect(last).toMatchObject({ problem: 'aborted', attempts: 1 });
  });
});
