import { randomUUID } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Authorize } from '../../lib/engine/answer.ts';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { reconcile } from '../../lib/engine/reconcile.ts';
import type { Surroundings } from '../../lib/engine/surroundings.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { routes } from '../../lib/http/routes.ts';
import { operationRoute } from '../../lib/http/show-operation.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { type Effect, refuse } from '../../lib/protocol/plan.ts';
import type { ReplyCipher } from '../../lib/protocol/reply-cipher.ts';
import { hours, milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { stalls, Terminal } from './card-terminal.ts';
import { httpEvent, lambdaContext } from './http-event.ts';
import { readItem } from './items.ts';
import { meddledStore } from './meddled-store.ts';
import { records, type Sent, send } from './purse.ts';
import { setClock } from './set-clock.ts';

const Sale = z.object({ amount: z.int().min(1) });
type Sale = z.infer<typeof Sale>;
export type SaleOperation = LeasedOperation<Sale, string, string>;

/** A function of ten seconds, and the allowance for skew. */
const LEASE = 12_000;

interface KioskOptions {
  /** The operation, given what it is by itself. */
  readonly operation?: (sale: SaleOperation, id: string) => SaleOperation;
  readonly authorize?: Authorize;
  readonly replyCipher?: ReplyCipher;
  readonly surroundings?: Partial<Surroundings>;
  /** What is left to sell. @default 100 */
  readonly stock?: number;
}

/**
 * The smallest leased operation: goods are set aside, a card is charged outside, and the sale is booked. Its clock
 * stands still, and everything that it runs on can be meddled with.
 */
export async function newKiosk(store: Store, options: KioskOptions = {}) {
  const id = randomUUID();
  const clock = setClock();
  const terminal = new Terminal();
  const counted: string[] = [];
  const operation = (options.operation ?? ((sale) => sale))(saleOperation(id, terminal), id);
  const stock = { unsold: options.stock ?? 100, held: 0, sold: 0 };
  await store.client.send(new PutCommand({ TableName: store.dataTable, Item: { ...shelfKey(id), ...stock } }));
  /** Another execution environment: it shares nothing with the others but the tables and the terminal. */
  const newEnvironment = () => {
    const meddled = meddledStore(store);
    const surroundings = { ...clock, ...options.surroundings };
    const count = (counter: string) => counted.push(counter);
    const engine = createEngine({ store: meddled, surroundings, count, replyCipher: options.replyCipher });
    const sell = sellEndpoint(engine, operation, options.authorize);
    return {
      store: meddled,
      engine,
      sell: (sent: Sent = {}) => send(sell, sent),
      look: (operationId: string, caller = 'alice') => lookAt(engine, operationId, caller, options.authorize),
      reconcile: (operations = [operation], remaining = 60_000) =>
        reconcile(engine, operations as LeasedOperation[], milliseconds(clock.now() + remaining)),
    };
  };
  const findRecords = async () => (await records(store)).filter((record) => record.operation === operation.name);
  return {
    ...{ id, clock, terminal, counted, operation, newEnvironment, records: findRecords },
    ...newEnvironment(),
    /** A request whose function ends in the middle of its call: nothing answers it, and its lease lapses. */
    sellAndDie: async (key: string, { done }: { readonly done: boolean }) => {
      const call = stalls({ done });
      terminal.next(call.act);
      void newEnvironment().sell({ key });
      await call.reached;
      clock.advance(LEASE);
    },
    /** The only record there is. */
    record: async () => {
      const [record, ...others] = await findRecords();
      if (record === undefined || others.length > 0) throw new Error('There is not exactly one record.');
      return record;
    },
    shelf: async () => {
      const { pk: _pk, sk: _sk, ...shelf } = (await readItem(store, shelfKey(id))) ?? {};
      return shelf;
    },
    /** Changes a stored record behind the engine's back. */
    rewrite: async (expression: string, values: Record<string, unknown>) => {
      const [record] = await findRecords();
      const change = { UpdateExpression: expression, ExpressionAttributeValues: values };
      await store.client.send(new UpdateCommand({ TableName: store.table, Key: { pk: record?.pk }, ...change }));
    },
  };
}

export type Kiosk = Awaited<ReturnType<typeof newKiosk>>;

const shelfKey = (id: string) => ({ pk: `shelf#${id}`, sk: 'shelf' });

function saleOperation(id: string, terminal: Terminal): SaleOperation {
  return {
    name: `sell-${id}`,
    retention: hours(24),
    reserve: ({ intent }) => ({ effects: [setAside(id, intent.amount)] }),
    call: (phase) => terminal.charge(phase),
    lookUp: (phase) => terminal.find(phase),
    settle: ({ intent, operation }, receipt) => ({
      effects: [change(id, 'held = held - :amount, sold = sold + :amount', intent.amount)],
      reply: { status: 201, headers: { Location: `/sales/${operation.uuid}` }, body: { receipt }, resource: receipt },
    }),
    cancel: ({ intent }, reason) => ({
      effects: [change(id, 'held = held - :amount, unsold = unsold + :amount', intent.amount)],
      reply: refuse('card-declined', reason),
    }),
  };
}

/** An operation that sets nothing aside: its claim is a write of its own. */
export const withoutReserve = ({ reserve: _, ...sale }: SaleOperation): SaleOperation => ({
  ...sale,
  settle: (_phase, receipt) => ({ status: 201, body: { receipt } }),
  cancel: (_phase, reason) => refuse('card-declined', reason),
});

/** For a provider that cannot be asked. */
export const withoutLookUp = ({ lookUp: _, ...sale }: SaleOperation): SaleOperation => sale;

/** Goods that are weighed before the card is charged: a phase with an effect of its own. */
export const withWeighing = (sale: SaleOperation, id: string): SaleOperation => ({
  ...sale,
  call: async (phase) => {
    if (phase.recoveryPoint === undefined)
      await phase.checkpoint('weighed', { data: { grams: 5 }, effects: [weigh(id)] });
    return sale.call(phase);
  },
});

export const weigh = (id: string): Effect => ({
  Update: {
    Key: shelfKey(id),
    UpdateExpression: 'ADD weighed :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

const change = (id: string, set: string, amount: number) => ({
  Update: {
    Key: shelfKey(id),
    UpdateExpression: `SET ${set}`,
    ExpressionAttributeValues: { ':amount': amount },
  },
});

const setAside = (id: string, amount: number): Effect => ({
  Update: {
    ...change(id, 'unsold = unsold - :amount, held = held + :amount', amount).Update,
    ConditionExpression: 'unsold >= :amount',
  },
  refuse: (old) => refuse('insufficient-funds', `Of the goods, ${old?.unsold} are left.`),
});

const sellEndpoint = (engine: Engine, operation: SaleOperation, authorize: Authorize | undefined) =>
  endpoint({
    ...{ engine, operation, mode: 'leased', body: Sale },
    ...(authorize && { authorize }),
    authenticate: async (request) => request.header('X-Caller')[0] ?? '',
    intent: ({ body }) => body,
  });

/** What `GET /operations/{id}` says. */
export async function lookAt(engine: Engine, id: string, caller: string, authorize?: Authorize) {
  const authenticate = async () => caller;
  const handler = routes({
    'GET /operations/{id}': operationRoute({ engine, authenticate, ...(authorize && { authorize }) }),
  });
  const event = httpEvent({ route: 'GET /operations/{id}', path: `/operations/${id}`, params: { id } });
  const { statusCode, headers, body } = await handler(event, lambdaContext());
  return { status: statusCode, headers, body: JSON.parse(body) };
}
