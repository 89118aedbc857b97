import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { CallPhase } from '../../lib/protocol/leased-operation.ts';
import { emit } from '../../lib/protocol/outbox.ts';
import { refuse } from '../../lib/protocol/plan.ts';
import { onceConsumer } from '../../lib/queue/once-consumer.ts';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import type { Store } from '../../lib/store/store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { queueEvent, RecordingQueue } from '../setup/queue-event.ts';
import { setClock } from '../setup/set-clock.ts';

const Tickets = z.object({ seats: z.int().min(1) });
const Room = z.object({ nights: z.int().min(1) });
const Payment = z.object({ amount: z.int() });
const Count = z.object({ sender: z.string(), seq: z.int(), delta: z.int() });

/** When the fixture of version 1 was written. */
const WRITTEN_AT = Date.UTC(2026, 10, 30, 12);

interface Calls {
  /** Asks the hotel; throws when it does not answer. */
  readonly book?: (phase: CallPhase<z.infer<typeof Room>>) => Promise<void>;
}

/** Something of every kind that Semel stores, under names that never change: the fixture holds what it once wrote. */
export function boxOffice(store: Store, { book = async () => {} }: Calls = {}) {
  const clock = setClock(WRITTEN_AT);
  const counted: string[] = [];
  const engine = createEngine({ store, surroundings: clock, count: (counter) => counted.push(counter) });
  const queue = new RecordingQueue();
  const known = { engine, authenticate: async () => 'alice' };
  const sell = endpoint({
    ...{ ...known, operation: 'sell-tickets', mode: 'atomic', body: Tickets },
    run: ({ body, operation }) => {
      if (body.seats > 5) return refuse('insufficient-funds', 'There are 5 seats.');
      const event = { id: 'evt_1', type: 'sold', body, createdAt: operation.now };
      return {
        effects: [emit(event)],
        reply: { status: 201, headers: { Location: '/tickets/1' }, body: { id: operation.uuid, seats: body.seats } },
      };
    },
  });
  const reserve = endpoint({
    ...{ ...known, operation: 'book-room', mode: 'leased', body: Room },
    run: async (phase: CallPhase<z.infer<typeof Room>>) => {
      await book(phase);
      return { status: 201, body: { nights: phase.intent.nights } };
    },
  });
  const payments = onceConsumer({
    ...{ consumer: 'payments', body: Payment, engine, queue },
    run: () => ({ effects: [] }),
  });
  const counts = sequenceConsumer({
    ...{ consumer: 'counts', body: Count, engine, queue },
    sequence: ({ sender, seq }) => ({ sender, seq }),
    effect: { deltas: ({ delta }: z.infer<typeof Count>) => ({ total: delta }) },
  });
  const post = (handler: typeof sell, route: string, key: string, body: unknown) =>
    handler(httpEvent({ route, body, headers: { 'Idempotency-Key': key } }), lambdaContext());
  const attributes = { 'Semel-Event-Id': 'event-1', 'Semel-Source': 'bank' };
  return {
    ...{ clock, counted, queue },
    sell: (key: string, seats: number) => post(sell, 'POST /tickets', key, { seats }),
    reserve: (key: string, nights: number) => post(reserve, 'POST /rooms', key, { nights }),
    pay: (amount: number) => payments(queueEvent({ id: 'm', body: { amount }, attributes }), lambdaContext()),
    count: (seq: number, delta: number) => {
      const body = { sender: 'gate', seq, delta };
      const message = { id: `m${seq}`, body, group: 'gate', attributes: { 'Semel-Source': 'alice' } };
      return counts(queueEvent(message), lambdaContext());
    },
  };
}
