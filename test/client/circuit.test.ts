import { describe, expect, it } from 'vitest';
import type { DeliveryError } from '../../lib/client/delivery-error.ts';
import { createRetryingFetch } from '../../lib/client/retrying-fetch.ts';
import { problem } from './problem.ts';
import { storage } from './storage.ts';
import { type Step, troubledServer } from './troubled-server.ts';

const OK: Step = { status: 200 };
const OPEN_FOR = 300;

const client = () =>
  createRetryingFetch({
    storage: storage(),
    attempts: 1,
    backoff: { base: 1, cap: 5 },
    circuit: { failures: 3, openFor: OPEN_FOR },
  });

const post = { method: 'POST', headers: { 'idempotency-key': 'k' } };
const outcomeOf = (call: Promise<Response>): Promise<number | string> =>
  call.then(
    ({ status }) => status,
    ({ problem: why }: DeliveryError) => why,
  );

async function inTurn(send: () => Promise<Response>, times: number): Promise<(number | string)[]> {
  const outcomes: (number | string)[] = [];
  for (let call = 0; call < times; call += 1) outcomes.push(await outcomeOf(send()));
  return outcomes;
}

const later = (duration: number) => new Promise((resolve) => setTimeout(resolve, duration));

describe('the circuit', () => {
  it.each<[string, Step]>([
    ['resets', 'reset'],
    ['5xx without a word', { status: 502 }],
  ])('R40 opens after %s in a row: nothing is sent, and nothing happened', async (_, step) => {
    const server = await troubledServer(step);
    const send = client();
    expect(await inTurn(() => send(server.url, post), 5)).toEqual([
      'attempts',
      'attempts',
      'attempts',
      'circuit-open',
      'circuit-open',
    ]);
    expect(server.received.length).toBe(3);
    await expect(send(server.url, post)).rejects.toMatchObject({ outcome: 'none', attempts: 0 });
  });

  it('R40 lets one request through after a while, and closes when that succeeds', async () => {
    const server = await troubledServer('reset', 'reset', 'reset', { ...OK, after: 100 }, OK);
    const send = client();
    await inTurn(() => send(server.url, post), 3);
    await later(OPEN_FOR + 20);
    expect(await Promise.all([outcomeOf(send(server.url, post)), outcomeOf(send(server.url, post))])).toEqual([
      200,
      'circuit-open',
    ]);
    expect(await outcomeOf(send(server.url, post))).toBe(200);
  });

  it('R40 stays open when that fails', async () => {
    const server = await troubledServer('reset');
    const send = client();
    await inTurn(() => send(server.url, post), 3);
    await later(OPEN_FOR + 20);
    expect(await inTurn(() => send(server.url, post), 2)).toEqual(['attempts', 'circuit-open']);
  });

  it('R40 counts failures in a row only', async () => {
    const server = await troubledServer('reset', 'reset', OK, 'reset', 'reset', OK);
    const send = client();
    await inTurn(() => send(server.url, post), 5);
    expect(await outcomeOf(send(server.url, post))).toBe(200);
  });

  it('R40 does not take an explained 503 for a server that is down', async () => {
    const server = await troubledServer(problem('outcome-unknown', 1_000));
    const send = client();
    await inTurn(() => send(server.url, post), 5);
    expect(server.received.length).toBe(5);
  });

  it('R40 does not take a caller who leaves for a server that is down', async () => {
    const server = await troubledServer('silence', 'silence', 'silence', OK);
    const send = client();
    await inTurn(() => send(server.url, { ...post, signal: AbortSignal.timeout(30) }), 3);
    expect(await outcomeOf(send(server.url, post))).toBe(200);
  });

  it('R40 is one for each origin', async () => {
    const down = await troubledServer('reset');
    const up = await troubledServer(OK);
    const send = client();
    await inTurn(() => send(down.url, post), 4);
    expect(await outcomeOf(send(up.url, post))).toBe(200);
  });

  it('R40 does not keep one who leaves while it is open', async () => {
    const server = await troubledServer('reset');
    const circuit = { failures: 1, openFor: 3_000 };
    const send = createRetryingFetch({ storage: storage(), backoff: { base: 1, cap: 1 }, circuit });
    const start = performance.now();
    const leaving = send(server.url, { ...post, signal: AbortSignal.timeout(100) });
    await expect(leaving).rejects.toMatchObject({ problem: 'aborted', attempts: 1 });
    expect(performance.now() - start).toBeLessThan(1_500);
  });

  it('R40 lets one at a time through of those that wait for it', async () => {
    const sentAt: number[] = [];
    const start = performance.now();
    const send = createRetryingFetch({
      ...{ storage: storage(), backoff: { base: 50, cap: 100 }, circuit: { failures: 3, openFor: OPEN_FOR } },
      fetch: async () => {
        sentAt.push(performance.now() - start);
        if (sentAt.length < 24) throw new TypeError('reset');
        return new Response(null, OK);
      },
    });
    const calls = Array.from({ length: 20 }, (_, call) => send(`http://localhost/${call}`));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    // All go before the circuit opens; then one in each of four periods, and the others once it is closed.
    const [first = 0, ...probes] = sentAt.slice(19, 24);
    const pauses = probes.map((at, index) => at - (probes[index - 1] ?? first));
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(OPEN_FOR - 50);
  });

  it('R40 makes a call that is retrying wait for it', async () => {
    const server = await troubledServer('reset', 'reset', 'reset', OK);
    const send = createRetryingFetch({
      storage: storage(),
      backoff: { base: 1, cap: 5 },
      circuit: { failures: 3, openFor: OPEN_FOR },
    });
    expect((await send(server.url, post)).status).toBe(200);
    const [, , third, fourth] = server.received.map(({ at }) => at);
    expect((fourth ?? 0) - (third ?? 0)).toBeGreaterThanOrEqual(OPEN_FOR - 50);
  });
});
