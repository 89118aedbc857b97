import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createRetryingFetch } from '../../lib/client/retrying-fetch.ts';
import { storage } from '../client/storage.ts';
import { SEED, useTinyCloud } from './tiny-cloud.ts';

const { callsOf, callsOfAnswer, cloud, entryIds, json, newId, send } = useTinyCloud();

const withFault = (fault: string): RequestInit => ({ headers: { 'Local-Fault': fault } });

describe('calls', () => {
  it('are recorded with what they touched and cost', async () => {
    const id = newId();
    const [call, ...others] = await callsOfAnswer(await send(`/transact?id=${id}`));
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      function: 'Tiny-Function',
      operation: `op_${id}`,
      call: 1,
      action: 'dynamodb:TransactWriteItems',
      tables: [cloud().tableNames.data],
      items: 2,
      writeUnits: 4,
      status: 200,
      error: null,
      fault: null,
    });
  });

  it('are found by operation: after a crash, and where the answer alone names it', async () => {
    const id = newId();
    await send(`/transact?id=${id}`, withFault('crash-after=1'));
    expect(await callsOf(`operation=op_${id}`)).toHaveLength(1);
    await send(`/transact?id=${id}`);
    expect(await callsOf(`operation=op_${id}`)).toHaveLength(2);
    await send(`/replay?id=${id}`);
    expect((await callsOf(`operation=op_${id}`)).map(({ action }) => action)).toEqual([
      'dynamodb:TransactWriteItems',
      'dynamodb:TransactWriteItems',
      'dynamodb:GetItem',
    ]);
  });
});

describe('faults', () => {
  it('drop-response does the work and cuts the connection', async () => {
    const id = newId();
    await expect(send(`/put?id=${id}`, withFault('drop-response'))).rejects.toThrow('fetch failed');
    expect(await entryIds()).toContain(id);
  });

  it('drop-response cuts it in the first word, since browsers send again by themselves what got no byte at all', async () => {
    const { hostname, port } = new URL(cloud().url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /put?id=${newId()} HTTP/1.1\r\nHost: here\r\nLocal-Fault: drop-response\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HT?T?$/);
  });

  it('drop-response is a lost connection to the client library, whose retry gets through', async () => {
    const id = newId();
    const lossy: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      if (!headers.has('idempotency-attempt')) headers.set('local-fault', 'drop-response');
      return fetch(input, { ...init, headers });
    };
    const told: string[] = [];
    const onProgress = ({ kind }: { readonly kind: string }) => told.push(kind);
    const patient = createRetryingFetch({ storage: storage(), fetch: lossy, backoff: { base: 1, cap: 1 }, onProgress });
    const answer = await patient.intent('put')(`${cloud().url}/put?id=${id}`, { method: 'POST' });
    expect(told).toEqual(['attempt', 'retry', 'attempt', 'settled']);
    // The first attempt did the work.
    expect(await answer.json()).toMatchObject({ name: 'ConditionalCheckFailedException' });
  });

  it('crash-before=2 leaves the first write and not the second', async () => {
    const id = newId();
    expect((await send(`/put-twice?id=${id}`, withFault('crash-before=2'))).status).toBe(502);
    expect(await entryIds()).toContain(`${id}-1`);
    expect(await entryIds()).not.toContain(`${id}-2`);
  });

  it('crash-after=1 leaves the write, though the function never learned of it', async () => {
    const id = newId();
    const answer = await send(`/put-twice?id=${id}`, withFault('crash-after=1'));
    expect(answer.status).toBe(502);
    expect(await entryIds()).toContain(`${id}-1`);
    expect(await entryIds()).not.toContain(`${id}-2`);
    expect(await callsOfAnswer(answer)).toMatchObject([{ call: 1, fault: 'crash-after', status: 0 }]);
  });

  it('lose-response=1 makes the SDK send its write again, onto itself', async () => {
    const answer = await send(`/put?id=${newId()}`, withFault('lose-response=1'));
    expect(await answer.json()).toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await callsOfAnswer(answer)).toMatchObject([
      { call: 1, fault: 'lose-response', status: 0 },
      { call: 2, fault: null, status: 400, error: 'ConditionalCheckFailedException' },
    ]);
  });

  it('throttle=1 is retried by the SDK', async () => {
    const answer = await send(`/put?id=${newId()}`, withFault('throttle=1'));
    expect(answer.status).toBe(200);
    expect(await callsOfAnswer(answer)).toMatchObject([
      { error: 'ThrottlingException', fault: 'throttle' },
      { status: 200 },
    ]);
  });

  it('conflict=1 cancels a transaction and refuses a single write, neither of which the SDK retries', async () => {
    const transaction = await send(`/transact?id=${newId()}`, withFault('conflict=1'));
    expect(await transaction.json()).toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    const id = newId();
    const write = await send(`/put?id=${id}`, withFault('conflict=1'));
    expect(await write.json()).toMatchObject({ name: 'TransactionConflictException' });
    expect(await entryIds()).not.toContain(id);
  });

  it('delay=100 holds each call back', async () => {
    const id = newId();
    const started = performance.now();
    await send(`/put-twice?id=${id}`, withFault('delay=100'));
    expect(performance.now() - started).toBeGreaterThan(200);
  });

  it('several at once all strike', async () => {
    const answer = await send(`/put-twice?id=${newId()}`, withFault('throttle=1, crash-after=3'));
    expect(answer.status).toBe(502);
    expect((await callsOfAnswer(answer)).map(({ fault }) => fault)).toEqual(['throttle', null, 'crash-after']);
  });

  it('that are unknown are refused, and none reaches the function', async () => {
    const answer = await send('/echo', withFault('explode'));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ title: 'Unknown fault', detail: expect.stringContaining('"explode"') });
    const echoed = await (await send('/echo', withFault('delay=1'))).json();
    expect(Object.keys((echoed as { event: { headers: object } }).event.headers)).not.toContain('local-fault');
  });
});

describe('an outage', () => {
  it('cuts every call, and all goes on when it is over', async () => {
    cloud().proxy.outage(true);
    const answer = await send(`/put?id=${newId()}`);
    cloud().proxy.outage(false);
    expect(answer.status).toBe(418);
    expect(await callsOfAnswer(answer)).toMatchObject([{ fault: 'outage' }, { fault: 'outage' }, { fault: 'outage' }]);
    expect((await send(`/put?id=${newId()}`)).status).toBe(200);
  });
});

describe('the local routes', () => {
  it('reset to the seed and an empty call log', async () => {
    await send(`/put?id=${newId()}`);
    expect((await send('/_local/reset', { method: 'POST' })).status).toBe(204);
    expect(await json('/_local/state')).toEqual({
      records: [],
      entries: [SEED[0]?.Item],
      providerCharges: [],
      queues: [],
      deadLetters: [],
    });
    expect(await callsOf('')).toEqual([]);
  });

  it('are the ones named', async () => {
    expect((await send('/_local/other')).status).toBe(404);
  });
});
