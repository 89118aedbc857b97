import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../lib/client/progress.ts';
import { failureOf, impatientClient } from './impatient-client.ts';
import { problem } from './problem.ts';
import { type Step, troubledServer } from './troubled-server.ts';

const CREATED: Step = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":"tr_1"}' };

const keyed = (): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': 'k-1' },
  body: '{"amount":500}',
});
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const unkeyed = { method: 'POST', body: '{"amount":500}' };

describe('a request with a key', () => {
  it.each<[string, Step]>([
    ['a reset connection', 'reset'],
    ['a body that breaks off', 'cut'],
    ['a 408', { status: 408 }],
    ['a 425', { status: 425 }],
    ['a 429', { status: 429 }],
    ['a 500', { status: 500 }],
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
    ['a 504', { status: 504 }],
    ['a 503 that explains itself', problem('store-unavailable')],
  ])('R40 is sent again after %s, to the byte', async (_, step) => {
    const server = await troubledServer(step, step, CREATED);
    const answer = await impatientClient()(`${server.url}/transfers`, keyed());
    expect([answer.status, await answer.json()]).toEqual([201, { id: 'tr_1' }]);
    expect(server.received.map(({ method, path, body }) => [method, path, body])).toEqual(
      Array(3).fill(['POST', '/transfers', '{"amount":500}']),
    );
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-1', 'k-1']);
    expect(server.received.map(({ headers }) => headers['content-type'])).toEqual(Array(3).fill('application/json'));
  });

  it('R24 says from its second attempt which attempt it is', async () => {
    const server = await troubledServer('reset', { status: 503 }, CREATED);
    await impatientClient()(server.url, keyed());
    expect(server.received.map(({ headers }) => headers['idempotency-attempt'])).toEqual([undefined, '2', '3']);
  });

  it('R40 is sent again when no answer comes in time', async () => {
    const server = await troubledServer('silence', CREATED);
    const answer = await impatientClient({ attemptTimeout: 80 })(server.url, keyed());
    expect(answer.status).toBe(201);
    expect(server.received.length).toBe(2);
  });

  it.each([200, 201, 204, 400, 401, 402, 403, 404, 409, 410, 413, 415, 422])(
    'R40 is not sent again after a %i',
    async (status) => {
      const server = await troubledServer({ status });
      const answer = await impatientClient()(server.url, keyed());
      expect([answer.status, server.received.length]).toEqual([status, 1]);
    },
  );

  it('R40 waits as long as a 409 asks for', async () => {
    const server = await troubledServer(problem('request-in-flight', 1_000), CREATED);
    await impatientClient()(server.url, keyed());
    const [first, second] = server.received.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('R40 gives up at once when the server asks for longer than there is', async () => {
    const server = await troubledServer(problem('request-in-flight', 60_000));
    const error = await failureOf(impatientClient({ deadline: 5_000 })(server.url, keyed()));
    expect(error).toMatchObject({ problem: 'deadline', outcome: 'unknown', attempts: 1, retryAfter: 60_000 });
    expect(error.operation).toBe('op_1');
  });

  it('R40 stops when the problem says that repeating does not help', async () => {
    const server = await troubledServer(problem('needs-attention'));
    const error = await failureOf(impatientClient()(server.url, keyed()));
    expect(error).toMatchObject({ problem: 'not-retryable', outcome: 'unknown', attempts: 1, operation: 'op_1' });
    expect(await error.response?.json()).toMatchObject({ type: '/problems/needs-attention' });
    expect(server.received.length).toBe(1);
  });

  it('R40 returns a kept 5xx: it is what became of the request', async () => {
    const server = await troubledServer({ status: 502, headers: { 'idempotent-replayed': 'true' }, body: 'declined' });
    const answer = await impatientClient()(server.url, keyed());
    expect([answer.status, await answer.text(), server.received.length]).toEqual([502, 'declined', 1]);
  });

  it('R40 carries a form with the same spelling each time', async () => {
    const server = await troubledServer('reset', CREATED);
    const body = new FormData();
    body.set('amount', '500');
    await impatientClient()(server.url, { method: 'POST', headers: { 'idempotency-key': 'k' }, body });
    const [first, second] = server.received;
    expect(first?.body).toContain('500');
    expect(second).toMatchObject({ body: first?.body });
    expect(second?.headers['content-type']).toBe(first?.headers['content-type']);
  });

  it('R40 may be a Request', async () => {
    const server = await troubledServer('reset', CREATED);
    const answer = await impatientClient()(new Request(server.url, keyed()));
    expect(answer.status).toBe(201);
    expect(server.received.map(({ body }) => body)).toEqual(['{"amount":500}', '{"amount":500}']);
  });
});

describe('a request without a key', () => {
  it.each<[string, Step]>([
    ['a reset connection', 'reset'],
    ['a 503', { status: 503, headers: { 'retry-after': '0' } }],
    ['a 409 that says when', { status: 409, headers: { 'retry-after': '0' } }],
    ['a 429', { status: 429 }],
    ['silence', 'silence'],
  ])('R40 is sent once if its method is unsafe: %s', async (_, step) => {
    const server = await troubledServer(step, CREATED);
    await impatientClient({ attemptTimeout: 100 })(server.url, unkeyed).catch(() => {});
    await new Promise((later) => setTimeout(later, 50));
    expect(server.received.length).toBe(1);
  });

  it('R40 gets what there is to an unsafe method, as from fetch', async () => {
    const server = await troubledServer({ status: 503, body: 'later' });
    const answer = await impatientClient()(server.url, unkeyed);
    expect([answer.status, await answer.text()]).toEqual([503, 'later']);
    const lost = await troubledServer('reset');
    expect(await failureOf(impatientClient()(lost.url, unkeyed))).toMatchObject({
      problem: 'not-retryable',
      outcome: 'unknown',
    });
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
    'R40 is sent again if its method is idempotent: %s',
    async (method) => {
      const server = await troubledServer('reset', { status: 503 }, { status: 200 });
      expect((await impatientClient()(server.url, { method })).status).toBe(200);
      expect(server.received.map((request) => request.method)).toEqual([method, method, method]);
    },
  );

  it('R24 does not say which attempt it is, which other origins would have to allow', async () => {
    const server = await troubledServer({ status: 503 }, { status: 200 });
    expect((await impatientClient()(server.url)).status).toBe(200);
    expect(server.received.map(({ headers }) => headers['idempotency-attempt'])).toEqual([undefined, undefined]);
  });

  it.each(['HEAD', 'GET', 'POST'])('R40 gets a problem that cannot be read as it is: %s', async (method) => {
    const server = await troubledServer({
      ...{ status: 503, headers: { 'content-type': 'application/problem+json' } },
      ...(method !== 'HEAD' && { body: '<html>' }),
    });
    expect((await impatientClient({ attempts: 2 })(server.url, { method })).status).toBe(503);
  });

  it('R40 gets the last answer when attempts are used up', async () => {
    const server = await troubledServer({ status: 503, body: 'later' });
    const answer = await impatientClient({ attempts: 3 })(server.url);
    expect([answer.status, await answer.text(), server.received.length]).toEqual([503, 'later', 3]);
  });

  it('R40 streams its body and its answer', async () => {
    const server = await troubledServer({ status: 200, body: 'x'.repeat(100_000) });
    const body = new Blob(['a', 'b']).stream();
    const answer = await impatientClient()(server.url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect((await answer.text()).length).toBe(100_000);
    expect(server.received[0]?.body).toBe('ab');
  });

  it('R40 may take longer over its body than over its head', async () => {
    const server = await troubledServer('trickle');
    const answer = await impatientClient({ attemptTimeout: 100 })(server.url);
    expect(await answer.text()).toBe('drop by drop');
  });

  it('R40 is what fetch would give where nothing may be sent again, however long its body takes', async () => {
    const server = await troubledServer({ trickle: 500 });
    const answer = await impatientClient({ attemptTimeout: 100 })(server.url, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([500, 'drop by drop']);
  });
});

describe('a signal that outlasts its requests', () => {
  it.each([
    ['with a key', keyed()],
    ['without', {}],
  ])('R40 keeps nothing of them: %s', async (_, request) => {
    const server = await troubledServer(CREATED);
    const { signal } = new AbortController();
    const send = impatientClient();
    for (let times = 0; times < 20; times += 1) await (await send(server.url, { ...request, signal })).text();
    const listeners = () => {
      collectGarbage();
      return getEventListeners(signal, 'abort').length;
    };
    await expect.poll(listeners, { timeout: 5_000 }).toBe(0);
  });
});

describe('progress', () => {
  it('R40 is told step by step', async () => {
    const server = await troubledServer('reset', { status: 503 }, CREATED);
    const told: Progress[] = [];
    await impatientClient({ onProgress: (progress) => told.push(progress) })(server.url, keyed());
    await Promise.resolve();
    expect(told.map((progress) => [progress.kind, 'attempt' in progress && progress.attempt])).toEqual([
      ['attempt', 1],
      ['retry', 1],
      ['attempt', 2],
      ['retry', 2],
      ['attempt', 3],
      ['settled', 3],
    ]);
    expect(told[1]).toMatchObject({ response: undefined });
    expect(told[3]).toMatchObject({ response: { status: 503 } });
  });

  it('R40 tells why it gave up', async () => {
    const server = await troubledServer('reset');
    const told: Progress[] = [];
    const error = await failureOf(
      impatientClient({ attempts: 1, onProgress: (progress) => told.push(progress) })(server.url, keyed()),
    );
    expect(told.at(-1)).toEqual({ kind: 'gave-up', error });
  });
});
