import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../../lib/engine/engine.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import type { WrappedRoute } from '../../../lib/http/leased-route.ts';
import { refuse } from '../../../lib/protocol/plan.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import { days } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { meddledStore } from '../../setup/meddled-store.ts';
import { records, type Sent, send } from '../../setup/purse.ts';
import { setClock } from '../../setup/set-clock.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const Note = z.object({ amount: z.int() });
type Run = WrappedRoute<z.infer<typeof Note>>['run'];

/** A handler of one's own under a lease, that does these things one after the other. */
function wrap(...runs: readonly Run[]) {
  const clock = setClock();
  const meddled = meddledStore(store);
  const operation = `note-${randomUUID()}`;
  const seen: unknown[] = [];
  const left = [...runs];
  const handler = endpoint({
    ...{ engine: createEngine({ store: meddled, surroundings: clock }), operation, mode: 'leased', body: Note },
    retention: days(2),
    authenticate: async () => 'alice',
    run: async (phase) => {
      seen.push([phase.operation.id, phase.operation.attempt]);
      return (left.shift() ?? fine)(phase);
    },
  });
  const key = randomUUID();
  return {
    ...{ clock, seen },
    send: (sent: Sent = {}) => send(handler, { key, ...sent }),
    record: async () => (await records(store)).find((record) => record.operation === operation),
    wrote: () => meddled.calls.map(({ name }) => name),
  };
}

const fine: Run = async ({ intent }) => ({ status: 201, body: intent });
const throwing =
  (error: unknown): Run =>
  () =>
    Promise.reject(error);
const refusal = refuse('insufficient-funds', 'Too little.');
const closed = ['forbidden', 'Closed.'] as const;

describe('a plain handler under a lease', () => {
  it('R16 runs once, and its reply is replayed', async () => {
    const note = wrap();
    const first = await note.send();
    expect(first).toMatchObject({ status: 201, replayed: false, text: '{"amount":100}' });
    expect(await note.send()).toMatchObject({ status: 201, replayed: true, text: first.text });
    expect(note.wrote()).toEqual(['PutCommand', 'PutCommand', 'PutCommand']);
    expect(note.seen).toEqual([[first.operation, 1]]);
    expect(await note.record()).toMatchObject({ expiresAt: note.clock.now() / 1_000 + 2 * 86_400 });
  });

  it.each([
    ['returned', async () => refusal],
    ['thrown', throwing(new SemelError(refusal.problem, refusal.detail))],
    ...[402, 404, 409, 410, 412, 422].map((status): [string, Run] => [
      `written out as ${status}`,
      async () => ({ status, body: { no: true } }),
    ]),
  ])('R16 whose refusal is %s makes it final', async (_, run) => {
    const note = wrap(run);
    const first = await note.send();
    expect(first.status).toBeOneOf([402, 404, 409, 410, 412, 422]);
    expect(await note.send()).toMatchObject({ status: first.status, replayed: true, text: first.text });
    expect(note.seen).toHaveLength(1);
  });

  it.each([
    ['returned', async () => refuse(...closed), 403],
    ['thrown', throwing(new SemelError(...closed)), 403],
    ...[400, 401, 403, 413, 415, 429].map((status): [string, Run, number] => [
      `${status}`,
      async () => ({ status, body: { no: true } }),
      status,
    ]),
  ])('R14 that says (%s) that nothing was done frees the key', async (_, run, status) => {
    const note = wrap(run);
    expect(await note.send()).toMatchObject({ status, replayed: false, operation: expect.stringMatching(/^op_/) });
    expect(await note.record()).toBeUndefined();
    expect(await note.send()).toMatchObject({ status: 201, replayed: false });
  });

  it.each([
    ['returned', async () => refuse(...closed), 503],
    ['thrown', throwing(new SemelError(...closed)), 503],
    ['429', async () => ({ status: 429 }), 429],
  ] as [string, Run, number][])(
    'C51 that says so (%s) on a later attempt keeps the operation id',
    async (_, run, status) => {
      const note = wrap(throwing(new Error('after the charge')), run);
      const first = await note.send();
      const second = await note.send();
      // The first attempt may have charged: a 403 would sound as if all were over.
      expect(second.status).toBe(status);
      expect(await note.record()).toMatchObject({ status: 'in_progress', attempt: 2 });
      note.clock.advance(1_000);
      expect(await note.send()).toMatchObject({ status: 201, operation: first.operation });
      expect(note.seen).toEqual([1, 2, 3].map((attempt) => [first.operation, attempt]));
    },
  );

  it.each([
    ['throws', throwing(new TypeError('a bug'))],
    ['throws nothing', throwing(undefined)],
    ['throws a 5xx', throwing(new SemelError('internal-error', 'Something.'))],
    ['meets a store that is down', throwing(new SemelError('store-unavailable', 'Down.'))],
    ['answers 500', async () => ({ status: 500 })],
    ['answers 503', async () => ({ status: 503, body: 'later' })],
    ['answers no reply at all', (async () => undefined) as unknown as Run],
  ])('R15 that %s leaves the outcome unknown, and runs again under the same id', async (_, run) => {
    const note = wrap(run);
    const first = await note.send();
    expect(first).toMatchObject({ status: 503, code: 'outcome-unknown' });
    expect(await note.record()).toMatchObject({ status: 'in_progress', unknowns: 1 });
    expect(await note.send()).toMatchObject({ status: 201, replayed: false, operation: first.operation });
    expect(note.seen).toEqual([1, 2].map((attempt) => [first.operation, attempt]));
  });

  it('C2 that changes its input is still the same request', async () => {
    const note = wrap(async ({ intent }) => {
      (intent as { amount: number }).amount = 1;
      return { status: 201, body: intent };
    });
    const first = await note.send();
    expect(await note.send()).toMatchObject({ replayed: true, text: first.text });
    expect(await note.send({ body: { amount: 1 } })).toMatchObject({ status: 422 });
  });

  it('R15 whose body fails the schema claims nothing', async () => {
    const note = wrap();
    expect(await note.send({ body: { amount: 'x' } })).toMatchObject({ status: 400, code: 'invalid-body' });
    expect(note.wrote()).toEqual(['TransactGetCommand']);
    expect(await note.send()).toMatchObject({ status: 201 });
  });

  it('R11 that writes down how far it came goes on from there', async () => {
    const note = wrap(
      async ({ checkpoint }) => {
        await checkpoint('paid', { data: 'receipt 7' });
        throw new Error('the mail server is down');
      },
      async ({ recoveryPoint, recoveryData }) => ({ status: 201, body: [recoveryPoint, recoveryData] }),
    );
    await note.send();
    expect(await note.send()).toMatchObject({ status: 201, text: '["paid","receipt 7"]' });
  });
});

it('R11 a plain handler that takes no body runs, and a retry runs it again', async () => {
  const clock = setClock();
  const intents: unknown[] = [];
  const handler = endpoint({
    ...{ engine: createEngine({ store, surroundings: clock }), operation: `ping-${randomUUID()}`, mode: 'leased' },
    authenticate: async () => 'alice',
    run: async ({ intent }) => {
      intents.push(intent);
      if (intents.length === 1) throw new Error('a reset');
      return { status: 201 };
    },
  });
  const key = randomUUID();
  expect(await send(handler, { key })).toMatchObject({ status: 503, code: 'outcome-unknown' });
  clock.advance(60_000);
  expect(await send(handler, { key })).toMatchObject({ status: 201, replayed: false });
  expect(await send(handler, { key })).toMatchObject({ status: 201, replayed: true });
  expect(intents).toEqual([undefined, undefined]);
});
