import { describe, expect, it } from 'vitest';
import { failureOf, impatientClient } from './impatient-client.ts';
import { problem } from './problem.ts';
import { type Step, troubledServer } from './troubled-server.ts';

const CREATED = { status: 201 };

const keyed = (): RequestInit => ({ method: 'POST', headers: { 'idempotency-key': 'k-1' }, body: '{"amount":500}' });

describe('what an error knows', () => {
  it('R40 the outcome is unknown after a request may have arrived', async () => {
    const server = await troubledServer('reset');
    const error = await failureOf(impatientClient({ attempts: 3 })(server.url, keyed()));
    expect(error).toMatchObject({
      name: 'DeliveryError',
      problem: 'attempts',
      outcome: 'unknown',
      attempts: 3,
      key: 'k-1',
    });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('R40 it is none after nothing but "too many requests"', async () => {
    const server = await troubledServer({ status: 429 });
    expect(await failureOf(impatientClient({ attempts: 2 })(server.url, keyed()))).toMatchObject({ outcome: 'none' });
  });

  it('R40 a possible effect stays possible', async () => {
    const server = await troubledServer('reset', { status: 429 });
    expect(await failureOf(impatientClient({ attempts: 2 })(server.url, keyed()))).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('R40 it is known when only the body of the last word was lost', async () => {
    const server = await troubledServer('cut', 'reset');
    const error = await failureOf(impatientClient({ attempts: 2 })(server.url, keyed()));
    expect(error).toMatchObject({ outcome: 'known', operation: 'op_cut' });
    expect(error.response?.status).toBe(201);
  });

  it.each<[string, [Step, ...Step[]]]>([
    ['before', ['reset', { cut: 401 }]],
    ['after', [{ cut: 401 }, 'reset']],
    ['before, and forbidden', ['reset', { cut: 403 }, { status: 503 }]],
  ])('R40 it is not known by the lost body of a "who are you?": %s', async (_, steps) => {
    const server = await troubledServer(...steps);
    const error = await failureOf(impatientClient({ attempts: steps.length })(server.url, keyed()));
    expect(error).toMatchObject({ problem: 'attempts', outcome: 'unknown' });
  });

  it('R40 it names the operation that an earlier answer told of', async () => {
    const server = await troubledServer(problem('request-in-flight', 1_000), 'reset');
    const error = await failureOf(impatientClient({ attempts: 2 })(server.url, keyed()));
    expect(error).toMatchObject({ outcome: 'unknown', operation: 'op_1', response: { status: 409 } });
  });

  it.each([401, 403])('R40 "who are you?" settles a first attempt, but not one in doubt: %i', async (status) => {
    const denied = { status, body: 'who?' };
    const first = await troubledServer(denied);
    expect((await impatientClient()(first.url, keyed())).status).toBe(status);
    const second = await troubledServer('reset', denied);
    const error = await failureOf(impatientClient()(second.url, keyed()));
    expect(error).toMatchObject({ problem: 'not-retryable', outcome: 'unknown', attempts: 2 });
    expect(await error.response?.text()).toBe('who?');
  });
});

describe('limits', () => {
  it('R40 the deadline ends a call that never gets an answer', async () => {
    const server = await troubledServer('silence');
    const start = Date.now();
    const error = await failureOf(impatientClient({ deadline: 300, attemptTimeout: 100 })(server.url, keyed()));
    expect(error).toMatchObject({ problem: 'deadline', outcome: 'unknown' });
    expect(Date.now() - start).toBeLessThan(1_000);
    expect(server.received.length).toBeGreaterThan(1);
  });

  it('R40 the caller’s signal ends an attempt, as fetch has it', async () => {
    const server = await troubledServer('silence');
    const error = await failureOf(impatientClient()(server.url, { ...keyed(), signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ name: 'AbortError', problem: 'aborted', outcome: 'unknown', attempts: 1 });
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
  });

  it('R40 the caller’s signal ends a pause', async () => {
    const server = await troubledServer(problem('request-in-flight', 5_000));
    const controller = new AbortController();
    const start = Date.now();
    setTimeout(() => controller.abort(), 100);
    const error = await failureOf(impatientClient()(server.url, { ...keyed(), signal: controller.signal }));
    expect(error).toMatchObject({ problem: 'aborted', attempts: 1 });
    expect(Date.now() - start).toBeLessThan(2_000);
  });

  it('R40 the caller’s signal ends a request without a key, too', async () => {
    const server = await troubledServer('silence');
    const error = await failureOf(impatientClient()(server.url, { method: 'POST', signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ name: 'AbortError', problem: 'aborted', outcome: 'unknown' });
  });

  it('R40 nothing is sent once the caller has aborted', async () => {
    const server = await troubledServer(CREATED);
    const error = await failureOf(impatientClient()(server.url, { ...keyed(), signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ problem: 'aborted', outcome: 'none', attempts: 0 });
    expect(server.received).toEqual([]);
  });
});
