import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import type { AtomicRoute, OperationContext } from '../../lib/http/atomic-route.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { type Effect, type Planned, refuse } from '../../lib/protocol/plan.ts';
import type { IdempotencyRecord } from '../../lib/protocol/record.ts';
import type { ReplyCipher } from '../../lib/protocol/reply-cipher.ts';
import type { Store } from '../../lib/store/store.ts';
import { httpEvent, lambdaContext } from './http-event.ts';
import { type MeddledStore, meddledStore } from './meddled-store.ts';
import { type SetClock, setClock } from './set-clock.ts';

const Purchase = z.object({ amount: z.int().min(1) });
type Purchase = z.infer<typeof Purchase>;
type Run = AtomicRoute<Purchase>['run'];

interface PurseOptions
  extends Partial<Pick<AtomicRoute<Purchase>, 'authorize' | 'retention' | 'retryHorizon' | 'storedBody'>> {
  readonly clock?: SetClock;
  readonly balance?: number;
  readonly keySecret?: string;
  readonly replyCipher?: ReplyCipher;
  /** What the operation does, given what it would do by itself. */
  readonly run?: (context: OperationContext<Purchase>, pay: Run) => ReturnType<Run>;
}

/** A request; one without a key gets one of its own. */
export interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: string;
  /** How long the function has, in milliseconds. */
  readonly remaining?: number;
}

/** The smallest operation with a business condition: pay from a purse, get a receipt. It goes through the public door. */
export async function newPurse(store: Store, options: PurseOptions = {}) {
  const id = randomUUID();
  const clock = options.clock ?? setClock();
  const meddled = meddledStore(store);
  const counted: string[] = [];
  const newEngine = () =>
    createEngine({
      store: meddled,
      surroundings: clock,
      count: (counter) => counted.push(counter),
      replyCipher: options.replyCipher,
      ...(options.keySecret !== undefined && { keySecret: options.keySecret }),
    });
  const setBalance = (balance: number) =>
    store.client.send(new PutCommand({ TableName: store.dataTable, Item: { ...purseKey(id), balance } }));
  await setBalance(options.balance ?? 100);
  let handler = payEndpoint(newEngine(), id, options);
  return {
    ...{ id, clock, counted, store: meddled as MeddledStore, setBalance },
    pay: (sent: Sent = {}) => send(handler, sent),
    /** A cold start: nothing but the tables is left. */
    restart: () => {
      handler = payEndpoint(newEngine(), id, options);
    },
    balance: async () => {
      const get = new GetCommand({ TableName: store.dataTable, Key: purseKey(id), ConsistentRead: true });
      return (await store.client.send(get)).Item?.balance as number;
    },
    receipts: async () => (await scan(store, store.dataTable)).filter(({ purse }) => purse === id),
    record: async (operationId: string) =>
      (await records(store)).find((record) => record.operationId === operationId) as IdempotencyRecord,
    /** Changes a stored record behind the engine's back. */
    rewrite: (pk: string, expression: string, values: Record<string, unknown>) =>
      store.client.send(
        new UpdateCommand({
          TableName: store.table,
          Key: { pk },
          UpdateExpression: expression,
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: values,
        }),
      ),
  };
}

const purseKey = (id: string) => ({ pk: `purse#${id}`, sk: 'purse' });

export const records = async (store: Store) => (await scan(store, store.table)) as unknown as IdempotencyRecord[];

async function scan({ client }: Store, TableName: string) {
  return (await client.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items ?? [];
}

/** Takes the amount out of the purse. */
const takeOut = (id: string, amount: number): Effect => ({
  Update: {
    Key: purseKey(id),
    UpdateExpression: 'SET balance = balance - :amount',
    ConditionExpression: 'balance >= :amount',
    ExpressionAttributeValues: { ':amount': amount },
  },
  refuse: (old) =>
    old === undefined
      ? refuse('account-not-found', 'No purse.')
      : refuse('insufficient-funds', `The purse holds ${old.balance}.`),
});

const payFrom =
  (id: string): Run =>
  ({ body, operation }): Planned => ({
    effects: [
      takeOut(id, body.amount),
      { Put: { Item: { pk: `receipt#${operation.uuid}`, sk: 'receipt', purse: id, amount: body.amount } } },
    ],
    reply: {
      status: 201,
      headers: { Location: `/receipts/${operation.uuid}`, 'Set-Cookie': 'a=b', 'Access-Control-Allow-Origin': '*' },
      body: { id: operation.uuid, amount: body.amount },
      resource: operation.uuid,
    },
  });

function payEndpoint(engine: Engine, id: string, options: PurseOptions) {
  const { run, authorize, retention, retryHorizon, storedBody } = options;
  const pay = payFrom(id);
  return endpoint<Purchase>({
    ...{ engine, operation: 'pay', mode: 'atomic', body: Purchase },
    ...(authorize && { authorize }),
    ...(retention && { retention }),
    ...(retryHorizon && { retryHorizon }),
    ...(storedBody && { storedBody }),
    authenticate: async (request) => request.header('X-Caller')[0] ?? '',
    run: (context) => (run ? run(context, pay) : pay(context)),
  });
}

/** What came back, with the body as text and as JSON. */
export async function send(
  handler: ReturnType<typeof endpoint>,
  { key = randomUUID(), body = { amount: 100 }, headers, caller = 'alice', remaining }: Sent,
) {
  const event = httpEvent({
    route: 'POST /payments',
    body,
    headers: { 'Idempotency-Key': key, 'X-Caller': caller, ...headers },
  });
  const reply = await handler(event, lambdaContext(remaining));
  const problem = reply.headers['content-type'] === 'application/problem+json' ? JSON.parse(reply.body) : {};
  const code = /^\/problems\/(.+)$/.exec(problem.type ?? '')?.[1];
  return {
    ...{ status: reply.statusCode, headers: reply.headers, text: reply.body, code },
    replayed: reply.headers['idempotent-replayed'] === 'true',
    operation: reply.headers['operation-id'] ?? '',
  };
}
