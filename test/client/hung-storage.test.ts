import { describe, expect, it, vi } from 'vitest';
import type { KeyStorage } from '../../lib/client/intent-keys.ts';
import { failureOf, impatientClient } from './impatient-client.ts';
import { storage } from './storage.ts';
import { troubledServer } from './troubled-server.ts';

const order = { method: 'POST', body: '{"amount":500}' };
const CREATED = { status: 201 };
const NO_CIRCUIT = { circuit: { failures: 1_000, openFor: 1 } };
const never = () => new Promise<never>(() => {});
/** A lock that hangs is held for the rest of the process, so each test has an intent of its own. */
const someIntent = () => `order-${crypto.randomUUID()}`;
const later = (time: number) => new Promise<void>((over) => setTimeout(over, time));

/** What came of a call, and that it took no longer than it may. */
async function endOf(kept: KeyStorage, signal?: AbortSignal) {
  const server = await troubledServer(CREATED);
  const pay = impatientClient({ storage: kept, deadline: 150 }).intent(someIntent());
  const start = performance.now();
  const { name, problem, outcome, attempts } = await failureOf(pay(server.url, { ...order, signal: signal ?? null }));
  expect(performance.now() - start).toBeLessThan(1_000);
  expect(server.received).toEqual([]);
  return { name, problem, outcome, attempts };
}

describe.each([
  ['a read', 'getItem', 'unknown'],
  ['a write', 'setItem', 'none'],
])('a storage that hangs over %s', (_, method, outcome) => {
  const hung = { ...storage(), [method]: never };

  it('R40 does not outlast the deadline', async () => {
    expect(await endOf(hung)).toEqual({ name: 'DeliveryError', problem: 'storage', outcome, attempts: 0 });
  });

  it('R40 does not outlast the caller', async () => {
    const signal = AbortSignal.timeout(50);
    expect(await endOf(hung, signal)).toEqual({ name: 'AbortError', problem: 'aborted', outcome, attempts: 0 });
  });

  it('R40 is not waited for by one who has left before', async () => {
    expect(await endOf(hung, AbortSignal.abort())).toMatchObject({ problem: 'aborted', outcome: 'unknown' });
  });

  it('R40 does not keep one who asks for the key either', async () => {
    const asking = impatientClient({ storage: hung, deadline: 50 }).intent(someIntent()).key();
    await expect(asking).rejects.toMatchObject({ problem: 'storage', outcome });
  });
});

describe('a storage that hung', () => {
  it('R39 over a read is read again by the next call, in any tab', async () => {
    const server = await troubledServer(CREATED);
    const kept = storage();
    let reads = 0;
    const flaky = {
      ...kept,
      getItem: (name: string) => {
        reads += 1;
        return reads === 1 ? never() : kept.getItem(name);
      },
    };
    const intent = someIntent();
    const tab = () => impatientClient({ storage: flaky, deadline: 400 }).intent(intent);
    const first = tab();
    expect(await failureOf(first(server.url, order))).toMatchObject({ problem: 'storage' });
    expect((await tab()(server.url, order)).status).toBe(201);
    expect((await first(server.url, order)).status).toBe(201);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('R39 over a write is not overtaken: what it writes at last is the key of all', async () => {
    const server = await troubledServer(CREATED);
    const kept = storage();
    let writes = 0;
    const slow = {
      ...kept,
      setItem: async (name: string, value: string) => {
        writes += 1;
        await later(300);
        kept.items.set(name, value);
      },
    };
    const intent = someIntent();
    const tab = () => impatientClient({ storage: slow, deadline: 100 }).intent(intent);
    const tabs = [tab(), tab()];
    const errors = await Promise.all(tabs.map((pay) => failureOf(pay(server.url, order))));
    expect(errors.map(({ problem }) => problem)).toEqual(['storage', 'storage']);
    expect([writes, server.received]).toEqual([1, []]);
    await later(300);
    for (const pay of tabs) await pay(server.url, order);
    expect(writes).toBe(1);
    const sent = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(sent).toEqual([await tabs[0]?.key(), await tabs[1]?.key()]);
    expect(new Set(sent).size).toBe(1);
  });

  it('R40 for a while leaves the call so much less time', async () => {
    const server = await troubledServer({ status: 503 });
    const pay = impatientClient({
      storage: storage(200),
      deadline: 600,
      attempts: 1_000,
      ...NO_CIRCUIT,
    }).intent(someIntent());
    const start = performance.now();
    expect(await failureOf(pay(server.url, order))).toMatchObject({ problem: 'deadline', outcome: 'unknown' });
    expect(performance.now() - start).toBeLessThan(700);
  });

  it('R40 does not prolong the call when the clock is set back meanwhile', async () => {
    const real = Date.now;
    let behind = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() - behind);
    const server = await troubledServer({ status: 503 });
    const kept = storage();
    kept.items.set('semel:intent:order-8421', JSON.stringify({ key: 'k', madeAt: real() - 7_200_000 }));
    const setBack = {
      ...kept,
      getItem: (name: string) => {
        behind = 3_600_000;
        return kept.getItem(name);
      },
    };
    const pay = impatientClient({ storage: setBack, deadline: 300, attempts: 1_000, ...NO_CIRCUIT });
    const start = performance.now();
    const error = await failureOf(pay.intent('order-8421')(server.url, order));
    vi.restoreAllMocks();
    expect(error).toMatchObject({ problem: 'deadline', outcome: 'unknown' });
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('R40 may take for ever where the call may', async () => {
    const server = await troubledServer(CREATED);
    const patient = impatientClient({ storage: storage(30), deadline: Infinity });
    expect((await patient.intent(someIntent())(server.url, order)).status).toBe(201);
  });
});
