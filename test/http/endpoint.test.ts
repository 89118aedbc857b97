import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { endpoint, route } from '../../lib/http/endpoint.ts';
import { days, hours, type Seconds, seconds } from '../../lib/protocol/time.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { send } from '../setup/purse.ts';
import { setClock } from '../setup/set-clock.ts';

let engine: Engine;
beforeAll(async () => {
  engine = createEngine({ store: await freshStore(), surroundings: setClock() });
});

// A part that the schema does not know is passed through as it is, not copied: what a handler changes in it could be
// the request's own.
const Loose = z.object({ meta: z.any() });
type Loose = z.infer<typeof Loose>;

const change = ({ meta }: Loose) => {
  meta.x = 1;
  return { status: 201, body: { meta } };
};

const base = () => ({ engine, body: Loose, authenticate: async () => 'alice' });
const HANDLERS = {
  atomic: () =>
    endpoint<Loose>({ ...base(), operation: randomUUID(), mode: 'atomic', run: ({ body }) => change(body) }),
  wrapped: () =>
    endpoint<Loose>({
      ...{ ...base(), operation: randomUUID(), mode: 'leased' },
      run: async ({ intent }) => change(intent),
    }),
  leased: () =>
    endpoint<Loose, Loose>({
      ...{ ...base(), mode: 'leased' },
      intent: ({ body }) => {
        change(body);
        return body;
      },
      operation: {
        ...{ name: randomUUID(), retention: hours(24) },
        call: async () => ({ kind: 'succeeded', result: undefined }),
        settle: ({ intent }) => ({ status: 201, body: intent }),
        cancel: () => ({ status: 402 }),
      },
    }),
};

describe.each(Object.entries(HANDLERS))('a handler (%s) that changes what the schema passed through', (_, make) => {
  it('C2 is asked the same by the same request, and something else by what it made of it', async () => {
    const [handler, key] = [make(), randomUUID()];
    const first = await send(handler, { key, body: { meta: { x: 2 } } });
    expect(first).toMatchObject({ status: 201, replayed: false, text: '{"meta":{"x":1}}' });
    expect(await send(handler, { key, body: { meta: { x: 2 } } })).toMatchObject({ replayed: true, text: first.text });
    const other = await send(handler, { key, body: { meta: { x: 1 } } });
    expect(other).toMatchObject({ status: 422, code: 'idempotency-key-reused' });
  });
});

it('C2 a handler that runs a second time sees what arrived, not what its first run made of it', async () => {
  const seen: unknown[] = [];
  const effect = (name: string, ConditionExpression: string) => ({
    Put: { Item: { pk: `round#${name}`, sk: 'x' }, ConditionExpression },
    refuse: () => undefined,
  });
  const handler = endpoint<Loose>({
    ...{ ...base(), operation: randomUUID(), mode: 'atomic' },
    run: ({ body, operation: { round, uuid } }) => {
      seen.push(body.meta.x);
      const condition = round === 1 ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)';
      return { effects: [effect(uuid, condition)], reply: change(body) };
    },
  });
  expect(await send(handler, { body: { meta: { x: 2 } } })).toMatchObject({ status: 201 });
  expect(seen).toEqual([2, 2]);
});

it('R6 the media type of a body that is not JSON belongs to the request', async () => {
  const handler = endpoint({
    ...{ engine, authenticate: async () => 'alice', operation: randomUUID(), mode: 'atomic' },
    run: () => ({ status: 201, body: 'taken' }),
  });
  const key = randomUUID();
  const as = (type: string, body = 'a,b') => send(handler, { key, body, headers: { 'content-type': type } });
  expect(await as('text/csv')).toMatchObject({ status: 201, replayed: false });
  expect(await as('text/csv')).toMatchObject({ status: 201, replayed: true });
  expect(await as('text/plain')).toMatchObject({ status: 422, code: 'idempotency-key-reused' });
  expect(await as('text/csv', 'a,c')).toMatchObject({ status: 422 });
});

it('C16 a function that is about to end is not answered behind the back of its handler', async () => {
  const pause = 150;
  const handler = endpoint({
    ...{ engine, authenticate: async () => 'alice', operation: randomUUID(), mode: 'atomic' },
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, pause));
      return { status: 201, body: 'done' };
    },
  });
  // The engine's clock stands still, so only who watches the function's own time could answer early.
  expect(await send(handler, { remaining: pause / 3 })).toMatchObject({ status: 201, text: 'done' });
});

describe('an endpoint whose replies are kept for less than its clients retry', () => {
  const run = () => ({ status: 201 });
  const keptFor = (retention: Seconds) => ({
    name: 'pay',
    retention,
    call: async () => ({ kind: 'succeeded', result: undefined }) as const,
    settle: run,
    cancel: run,
  });
  const MAKE: [string, (retention: Seconds, retryHorizon?: Seconds) => unknown][] = [
    [
      'atomic',
      (retention, retryHorizon) =>
        route({
          operation: 'pay',
          mode: 'atomic',
          run,
          retention,
          ...(retryHorizon !== undefined && { retryHorizon }),
        }),
    ],
    [
      'wrapped',
      (retention, retryHorizon) =>
        route({
          operation: 'pay',
          mode: 'leased',
          run: async () => run(),
          retention,
          ...(retryHorizon !== undefined && { retryHorizon }),
        }),
    ],
    [
      'leased',
      (retention, retryHorizon) =>
        route({
          operation: keptFor(retention),
          mode: 'leased',
          intent: () => 0,
          ...(retryHorizon !== undefined && { retryHorizon }),
        }),
    ],
  ];

  it.each(MAKE)('R23 is refused before the first request, with both numbers (%s)', (_, make) => {
    expect(() => make(hours(1))).toThrow(/^pay: .* 3600 s .* 86400 s/);
    expect(() => make(hours(24))).not.toThrow();
  });

  it.each(MAKE)('R23 may say that its clients stop sooner, or later (%s)', (_, make) => {
    expect(() => make(hours(1), hours(1))).not.toThrow();
    expect(() => make(hours(1), seconds(0))).not.toThrow();
    expect(() => make(days(30), days(31))).toThrow(/2592000 s .* 2678400 s/);
  });
});
