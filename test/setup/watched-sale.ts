import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import { countMetric, measureMetric } from '../../lib/engine/published-metrics.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { outboxItem } from '../../lib/protocol/outbox.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { hours, milliseconds } from '../../lib/protocol/time.ts';
import { outboxSweeper } from '../../lib/queue/outbox-sweeper.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { reconciler } from '../../lib/schedule/reconciler.ts';
import { Terminal } from './card-terminal.ts';
import { freshStore } from './fresh-store.ts';
import { lambdaContext } from './http-event.ts';
import { meddledStore } from './meddled-store.ts';
import { records, type Sent, send } from './purse.ts';
import { queueEvent, RecordingQueue } from './queue-event.ts';
import { setClock } from './set-clock.ts';

const Amount = z.object({ amount: z.int() });
const Numbered = z.object({ sender: z.string(), seq: z.int() });
const authenticate = async () => 'alice';

/**
 * One of everything that counts: an atomic and a leased operation, a consumer, a reconciler and a sweeper that cannot
 * send, on tables of their own.
 */
export async function newWatchedSale({ mostUnknowns = 10 } = {}) {
  const store = meddledStore(await freshStore());
  const clock = setClock();
  const terminal = new Terminal();
  const engine = createEngine({ store, surroundings: clock, count: countMetric, measure: measureMetric });
  const operation: LeasedOperation<z.infer<typeof Amount>, string, string> = {
    name: 'sell',
    retention: hours(24),
    mostUnknowns,
    call: (phase) => terminal.charge(phase),
    lookUp: (phase) => terminal.find(phase),
    settle: (_phase, receipt) => ({ status: 201, body: { receipt } }),
    cancel: (_phase, reason) => refuse('card-declined', reason),
  };
  const receipt = (pk: string) => ({ Put: { Item: { pk, sk: 'receipt' } } });
  const base = { engine, authenticate };
  const pay = endpoint({
    ...{ ...base, operation: 'pay', mode: 'atomic' },
    run: ({ operation: { id } }) => ({ effects: [receipt(id)], reply: { status: 201, body: {} } }),
  });
  const overdraw = endpoint({
    ...{ ...base, operation: 'pay', mode: 'atomic' },
    run: () => refuse('insufficient-funds', 'Too little.'),
  });
  const sell = endpoint({ ...base, operation, mode: 'leased', body: Amount, intent: ({ body }) => body });
  const consume = sequenceConsumer({
    ...{ consumer: 'readings', engine, queue: new RecordingQueue(), body: Numbered },
    sequence: (body) => body,
    effect: { deltas: () => ({ read: 1 }) },
  });
  return {
    ...{ store, clock, terminal, engine },
    record: async (operationId: string) => (await records(store)).find((found) => found.operationId === operationId),
    pay: (sent?: Sent) => send(pay, { ...sent }),
    overdraw: (sent?: Sent) => send(overdraw, { ...sent }),
    sell: (sent?: Sent) => send(sell, { ...sent }),
    consume: (...numbers: readonly number[]) => {
      const messages = numbers.map((seq) => ({ id: randomUUID(), body: { sender: 'a', seq } }));
      return consume(queueEvent(...messages), lambdaContext());
    },
    sweep: async (left: string) => {
      const Item = outboxItem({ id: left, type: 't', body: 1, createdAt: milliseconds(clock.now() - 61_000) });
      await store.client.send(new PutCommand({ TableName: store.table, Item }));
      return outboxSweeper({ engine, send: () => Promise.reject(new Error('too long for SQS')) })({}, lambdaContext());
    },
    reconcile: (operations = [operation]) => reconciler(operations, () => engine)({}, lambdaContext(60_000)),
  };
}

export type WatchedSale = Awaited<ReturnType<typeof newWatchedSale>>;
