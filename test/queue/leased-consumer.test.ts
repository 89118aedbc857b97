import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { notBegun, succeeded } from '../../lib/protocol/outside-call.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import { days } from '../../lib/protocol/time.ts';
import { leasedConsumer } from '../../lib/queue/leased-consumer.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { failedIds, queueEvent, RecordingQueue, type TestMessage } from '../setup/queue-event.ts';
import { setClock } from '../setup/set-clock.ts';

const Body = z.object({ name: z.string() });
type Body = z.infer<typeof Body>;

let store: Store;
let queue: RecordingQueue;
let clock: ReturnType<typeof setClock>;
let running: number;
let most: number;
const call = vi.fn<LeasedOperation['call']>();

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  queue = new RecordingQueue();
  clock = setClock();
  [running, most] = [0, 0];
  call.mockReset().mockImplementation(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    return succeeded('done');
  });
});

/** Delivers one batch to a consumer of its own. */
async function deliver(
  messages: readonly TestMessage[],
  more: { readonly intent?: (body: Body) => Body; readonly reserve?: LeasedOperation['reserve'] } = {},
) {
  const { intent = (body) => body, reserve } = more;
  const handler = leasedConsumer<Body, Body>({
    ...{ consumer: crypto.randomUUID(), body: Body, queue, intent },
    engine: createEngine({ store, surroundings: clock }),
    operation: {
      ...{ name: crypto.randomUUID(), retention: days(42), call, ...(reserve && { reserve }) },
      settle: () => ({ status: 200 }),
      cancel: () => ({ status: 402 }),
    },
  });
  return failedIds(await handler(queueEvent(...messages), lambdaContext()));
}

const message = (id: string, eventId: string, source = 'alice'): TestMessage => ({
  ...{ id, body: { name: 'n' } },
  attributes: { 'Semel-Event-Id': eventId, 'Semel-Source': source },
});

describe('a batch', () => {
  it.each<[string, TestMessage[]]>([
    ['the same message twice', [message('m1', 'e1'), message('m1', 'e1'), message('m1', 'e1')]],
    ['one event in two messages', [message('m1', 'e1'), message('m2', 'e1')]],
    [
      'one event in two groups',
      [
        { ...message('m1', 'e1'), group: 'a' },
        { ...message('m2', 'e1'), group: 'b' },
      ],
    ],
  ])('C26 R27 with %s has one effect and no failure', async (_, messages) => {
    expect(await deliver(messages)).toEqual([]);
    expect(call).toHaveBeenCalledOnce();
    expect([queue.hidden, queue.rejected]).toEqual([[], []]);
  });

  it('R27 of other events, and of other sources, is handled side by side', async () => {
    expect(await deliver([message('m1', 'e1'), message('m2', 'e2'), message('m3', 'e1', 'bob')])).toEqual([]);
    expect([call.mock.calls.length, most]).toEqual([3, 3]);
  });

  it('R27 with one event twice tries it again though all went wrong the first time', async () => {
    const busy = new SemelError('store-unavailable', 'Not now.', { retryAfter: 1_000 });
    vi.spyOn(queue, 'hide').mockRejectedValueOnce(new Error('SQS is down'));
    call.mockImplementationOnce(async () => notBegun(busy));
    expect(await deliver([message('m1', 'e1'), message('m2', 'e1')])).toEqual(['m1']);
    expect(call).toHaveBeenCalledTimes(2);
  });

  it('R27 with one event twice and no time left after the first leaves the second untouched', async () => {
    call.mockImplementationOnce(async () => {
      clock.advance(10_000);
      return succeeded('done');
    });
    expect(await deliver([message('m1', 'e1'), message('m2', 'e1')])).toEqual(['m2']);
    expect(queue.hidden).toEqual([]);
  });
});

it('C2 a claim that is tried again sees what arrived, not what the first try made of it', async () => {
  const seen: string[] = [];
  const free = { ConditionCheck: { Key: { pk: 'x', sk: 'x' }, ConditionExpression: 'attribute_exists(pk)' } };
  const intent = (body: Body) => {
    seen.push(body.name);
    body.name = 'changed';
    return body;
  };
  const reserve: LeasedOperation['reserve'] = (_, round) => ({ effects: round === 1 ? [free] : [] });
  expect(await deliver([message('m1', 'e1')], { intent, reserve })).toEqual([]);
  expect(seen).toEqual(['n', 'n']);
});
