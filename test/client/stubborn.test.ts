import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../../lib/client/progress.ts';
import { failureOf, impatientClient } from './impatient-client.ts';
import { troubledServer } from './troubled-server.ts';

const URL = 'http://localhost/charges';
const order = { method: 'POST', body: '{"amount":500}' };
const CREATED = { status: 201 };
const never = () => new Promise<never>(() => {});

afterEach(() => vi.restoreAllMocks());

describe('a call whose caller has left before', () => {
  it('R40 sends nothing for an intent', async () => {
    const server = await troubledServer(CREATED);
    const pay = impatientClient().intent('order-8421');
    const error = await failureOf(pay(server.url, { ...order, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError', problem: 'aborted', attempts: 0 });
    await new Promise((later) => setTimeout(later, 50));
    expect(server.received).toEqual([]);
  });

  it('R39 R40 does not know what an earlier call did', async () => {
    const server = await troubledServer('reset');
    const pay = impatientClient({ attempts: 1 }).intent('order-8421');
    await failureOf(pay(server.url, order));
    const error = await failureOf(pay(server.url, { ...order, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ problem: 'aborted', outcome: 'unknown', attempts: 0 });
  });
});

describe('a fetch that ignores its signal', () => {
  it('R40 does not outlast the attempt’s time', async () => {
    let calls = 0;
    const fetch = () => {
      calls += 1;
      return calls === 1 ? never() : Promise.resolve(new Response(null, CREATED));
    };
    const answer = await impatientClient({ fetch, attemptTimeout: 50 }).intent('order-8421')(URL, order);
    expect([answer.status, calls]).toEqual([201, 2]);
  });

  it('R40 does not outlast it over a body either', async () => {
    const fetch = async () => new Response(new ReadableStream(), CREATED);
    const pay = impatientClient({ fetch, attemptTimeout: 50, attempts: 2 }).intent('order-8421');
    expect(await failureOf(pay(URL, order))).toMatchObject({ problem: 'attempts', outcome: 'known', attempts: 2 });
  });

  it('R40 does not outlast the caller', async () => {
    const leaving = new AbortController();
    const fetch = () => {
      setTimeout(() => leaving.abort(), 20);
      return never();
    };
    const pay = impatientClient({ fetch }).intent('order-8421');
    const error = await failureOf(pay(URL, { ...order, signal: leaving.signal }));
    expect(error).toMatchObject({ problem: 'aborted', outcome: 'unknown', attempts: 1 });
  });
});

describe('a clock that is set', () => {
  const failing = (change: () => void) => async () => {
    change();
    throw new TypeError('reset');
  };
  const patient = { attempts: 1_000, backoff: { base: 20, cap: 20 }, circuit: { failures: 1_000, openFor: 1 } };

  it('R40 back does not prolong a call', async () => {
    const real = Date.now;
    let behind = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() - behind);
    const fetch = failing(() => {
      behind = 3_600_000;
    });
    const start = performance.now();
    const pay = impatientClient({ ...patient, fetch, deadline: 200 }).intent('order-8421');
    expect(await failureOf(pay(URL, order))).toMatchObject({ problem: 'deadline', outcome: 'unknown' });
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('R40 back does not keep a circuit open', async () => {
    const real = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(real);
    const fetch = vi.fn<typeof globalThis.fetch>().mockRejectedValueOnce(new TypeError('reset'));
    fetch.mockResolvedValue(new Response(null, CREATED));
    const client = impatientClient({ fetch, attempts: 1, circuit: { failures: 1, openFor: 20 } });
    await failureOf(client(URL));
    vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    await new Promise((later) => setTimeout(later, 40));
    expect((await client(URL)).status).toBe(201);
  });

  it('R40 ahead, as after a sleep, ends what the server may have forgotten', async () => {
    const real = Date.now;
    let ahead = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
    const fetch = failing(() => {
      ahead = 25 * 3_600_000;
    });
    const error = await failureOf(impatientClient({ ...patient, fetch }).intent('order-8421')(URL, order));
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  it('R40 ahead during a pause, as when a laptop is closed, ends it too', async () => {
    const real = Date.now;
    let ahead = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
    const server = await troubledServer({ status: 503 }, CREATED);
    const onProgress = ({ kind }: Progress) => {
      if (kind === 'retry') ahead = 25 * 3_600_000;
    };
    const pay = impatientClient({ onProgress, deadline: 48 * 3_600_000 }).intent('order-8421');
    expect(await failureOf(pay(server.url, order))).toMatchObject({ problem: 'key-expired', attempts: 1 });
    expect(server.received.length).toBe(1);
  });
});

describe('a clock that goes back a little while a body is read', () => {
  it.each(['PUT', 'GET'])('R40 does not age a request without a key: %s', async (method) => {
    const real = Date.now;
    let calls = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() - (calls++ === 0 ? 0 : 50));
    const answer = await impatientClient({ fetch: async () => new Response() })(URL, { method });
    expect(answer.status).toBe(200);
  });
});

describe('a large body', () => {
  it('R39 does not hold up the page', async () => {
    const body = new Uint8Array(20_000_000).fill(123);
    const client = impatientClient({ fetch: async () => new Response(null, CREATED) });
    const start = performance.now();
    await client(URL, { method: 'PUT', body });
    await client.intent('order-8421')(URL, { method: 'POST', body });
    expect(performance.now() - start).toBeLessThan(2_500);
  });
});

describe('options that are undefined', () => {
  it('R40 are the defaults', async () => {
    const server = await troubledServer({ status: 503 }, CREATED);
    const undefinedOptions = { attempts: undefined, attemptTimeout: undefined, deadline: undefined, fetch: undefined };
    const others = { retention: undefined, circuit: undefined, onProgress: undefined };
    const client = impatientClient({ ...undefinedOptions, ...others });
    expect((await client.intent('order-8421')(server.url, order)).status).toBe(201);
    expect(server.received.length).toBe(2);
  });
});
