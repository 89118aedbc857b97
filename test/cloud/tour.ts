import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, vi } from 'vitest';
import { SIGNED_HEADERS } from '../../lib/cli/sample-delivery.ts';
import { WEBHOOK_SOURCES, webhookEnvironment } from '../../lib/cli/webhook-secrets.ts';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { outboxItem } from '../../lib/protocol/outbox.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { settlementLine } from '../../lib/wallet/settle.ts';
import { type HttpCaller, newCaller } from '../setup/http-caller.ts';

/** What a tour left behind. */
export interface Tour {
  readonly cloud: LocalCloud;
  readonly caller: HttpCaller;
  /** What was answered, as route, path and status. @example 'POST /accounts 201' */
  readonly answered: ReadonlySet<string>;
  /** Each line that a function printed. */
  readonly lines: readonly string[];
  /** Raw keys, and what only bodies held: none of it may be in a line. */
  readonly secrets: readonly string[];
  readonly correlationId: string;
}

/** The walker: every request with a correlation id, and a note of what must not be printed. */
interface Walk extends Omit<Tour, 'lines'> {
  readonly answered: Set<string>;
  readonly secrets: string[];
  readonly secret: (value: string) => string;
  readonly keyed: (
    path: string,
    body: unknown,
    more?: { hinted?: boolean; key?: string },
  ) => ReturnType<HttpCaller['send']>;
  readonly plain: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<HttpCaller['send']>;
  readonly local: (method: string, path: string, body?: unknown) => Promise<Response>;
}

const AMOUNT = 918_273;

/** Asks a cloud of its own for everything that the wallet can do, and for what it refuses, until all of it is done. */
export async function takeTour(): Promise<Tour> {
  const { assembly, dynamodbEndpoint, webhookSecrets } = inject('cloud');
  const lines: string[] = [];
  const environment = webhookEnvironment(webhookSecrets);
  const cloud = await startLocalCloud({
    ...{ assembly, dynamodbEndpoint, environment, port: 0 },
    log: (line) => void lines.push(line),
  });
  const walk = walker(cloud, await newCaller(cloud));
  const from = await ledger(walk);
  await charges(walk, from);
  await keyless(walk, from);
  await webhooks(walk, from);
  await messages(walk, from, lines);
  await background(walk, lines);
  const { caller, secrets, correlationId, answered } = walk;
  return { cloud, caller, lines, secrets, correlationId, answered };
}

function walker(cloud: LocalCloud, caller: HttpCaller): Walk {
  const correlationId = `correlation-${randomUUID()}`;
  const secrets = [caller.apiKey.key, String(AMOUNT)];
  const secret = (value: string) => {
    secrets.push(value);
    return value;
  };
  const answered = new Set<string>();
  const plain = async (method: string, path: string, body?: unknown, headers = {}) => {
    const reply = await caller.send(method, path, { body, headers: { 'x-correlation-id': correlationId, ...headers } });
    answered.add(`${method} ${path.split('?')[0]} ${reply.status}`);
    return reply;
  };
  return {
    ...{ cloud, caller, correlationId, secrets, secret, plain, answered },
    keyed: (path, body, { key = `key-${randomUUID()}`, hinted = false } = {}) =>
      plain('POST', path, body, {
        'idempotency-key': secret(key),
        ...(hinted && { 'idempotency-attempt': '2' }),
      }),
    local: (method, path, body) =>
      fetch(`${cloud.url}/_local${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
  };
}

async function ledger({ keyed, plain, secret }: Walk): Promise<string> {
  const key = `key-${randomUUID()}`;
  const opening = { currency: 'EUR', openingBalance: 9 * AMOUNT, note: secret(`note-${randomUUID()}`) };
  const from = (await keyed('/accounts', opening, { key })).json.id;
  const to = (await keyed('/accounts', { currency: 'EUR' })).json.id;
  for (const hinted of [false, true]) expect((await keyed('/accounts', opening, { key, hinted })).status).toBe(201);
  const transfer = { from, to, amount: AMOUNT };
  const paid = await keyed('/transfers', transfer);
  expect(paid.status).toBe(201);
  expect((await keyed('/transfers', { ...transfer, amount: 100 * AMOUNT })).status).toBe(402);
  expect((await keyed('/transfers', { ...transfer, amount: 'x' })).status).toBe(400);
  expect((await keyed('/transfers', transfer, { key })).status).toBe(422);
  for (const path of ['', '/entries?limit=5']) await plain('GET', `/accounts/${from}${path}`);
  await plain('GET', `/transfers/${paid.json.id}`);
  await plain('GET', `/operations/${paid.headers.get('operation-id')}`);
  await plain('GET', '/health');
  return from;
}

async function charges(walk: Walk, account: string): Promise<void> {
  const { keyed, plain } = walk;
  const charge = { account, amount: AMOUNT, source: 'tok_ok' };
  const key = `key-${randomUUID()}`;
  const charged = await keyed('/charges', charge, { key });
  expect(charged.status).toBe(201);
  await keyed('/charges', charge, { key, hinted: true });
  expect((await keyed('/charges', { ...charge, source: 'tok_declined' })).status).toBe(402);
  for (const source of ['tok_500', 'tok_500_clean']) {
    expect((await keyed('/charges', { ...charge, source })).status).toBe(503);
  }
  await preferred(walk, charge);
  await plain('GET', `/charges/${charged.json.id}`);
  expect((await keyed(`/charges/${charged.json.id}/refunds`, { amount: 5 })).status).toBe(201);
}

/** A duplicate while the first is still under way, for each of what its client may prefer. */
async function preferred({ keyed, plain }: Walk, charge: object): Promise<void> {
  const slow = { ...charge, source: 'tok_slow' };
  const key = `key-${randomUUID()}`;
  const first = keyed('/charges', slow, { key });
  const again = (prefer: string) => plain('POST', '/charges', slow, { 'idempotency-key': key, prefer });
  await vi.waitFor(async () => expect((await again('respond-async')).status).toBe(202), { timeout: 5_000 });
  expect((await again('wait=0')).status).toBe(409);
  expect((await first).status).toBe(201);
}

async function keyless({ plain, secret }: Walk, account: string): Promise<void> {
  const orderId = secret(`order-${randomUUID()}`);
  for (const amount of [AMOUNT, AMOUNT]) await plain('POST', '/orders', { orderId, account, amount });
  for (const attemptId of ['a', 'a']) await plain('POST', `/orders/${orderId}/payment`, { attemptId });
  const poor = `order-${randomUUID()}`;
  await plain('POST', '/orders', { orderId: poor, account, amount: 100 * AMOUNT });
  expect((await plain('POST', `/orders/${poor}/payment`, { attemptId: 'a' })).status).toBe(402);
  const grant = `/accounts/${account}/grants/g`;
  for (const method of ['PUT', 'DELETE', 'PUT'])
    await plain(method, grant, method === 'PUT' ? { credits: 3 } : undefined);
  for (const method of ['PUT', 'DELETE'])
    await plain(method, `/accounts/${account}/grants/${'x'.repeat(129)}`, { credits: 3 });
  await plain('DELETE', `/accounts/${account}/grants/never-put`);
  const etag = (await plain('GET', `/accounts/${account}`)).headers.get('etag') ?? '';
  const settings = { displayName: secret(`name-${randomUUID()}`) };
  expect((await plain('PUT', `/accounts/${account}/settings`, settings, { 'if-match': etag })).status).toBe(200);
}

async function webhooks({ plain, secret }: Walk, account: string): Promise<void> {
  for (const source of WEBHOOK_SOURCES) {
    for (const to of [account, `acct_${randomUUID()}`]) {
      const eventId = secret(randomUUID());
      const data = { id: secret(randomUUID()), account: to, amount: AMOUNT };
      const body = JSON.stringify({ id: eventId, type: 'payment.succeeded', data });
      const secretOf = inject('cloud').webhookSecrets[source];
      const headers = SIGNED_HEADERS[source]({ body, eventId, secret: secretOf, now: new Date() });
      expect([200, 422]).toContain((await plain('POST', `/webhooks/${source}`, body, headers)).status);
    }
  }
}

/** Waits for the consumers: what is printed says that they are done. */
async function messages({ plain, secret }: Walk, account: string, lines: readonly string[]): Promise<void> {
  const deposit = { eventId: secret(`event-${randomUUID()}`), account, amount: AMOUNT };
  for (const amount of [AMOUNT, AMOUNT, AMOUNT + 1]) await plain('POST', '/deposits', { ...deposit, amount });
  const sender = secret(`sender-${randomUUID()}`);
  for (const seq of [1, 3]) await plain('POST', `/senders/${sender}/messages`, { seq, delta: AMOUNT });
  for (const name of [sender, 'x'.repeat(65)]) await plain('GET', `/senders/${name}`);
  const about = (text: string) => lines.filter((line) => line.includes(text)).length;
  await vi.waitFor(
    () => {
      expect(about('"reason":"event-id-reused"')).toBeGreaterThan(0);
      expect(about('"reason":"gap"')).toBeGreaterThan(0);
      expect(about('"consumer":"notifications"')).toBeGreaterThan(0);
    },
    { timeout: 20_000, interval: 100 },
  );
}

/** Today's deposits are not settled before tomorrow, so a line stands in for an earlier one. */
async function settleADay({ local, caller: { table } }: Walk): Promise<void> {
  const now = milliseconds(Date.now() - 2 * 86_400_000);
  const line = settlementLine({ uuid: randomUUID(), amount: AMOUNT, currency: 'EUR', now });
  const Item = 'Put' in line ? { ...line.Put.Item } : {};
  await table.client.send(new PutCommand({ TableName: table.table, Item }));
  const input = encodeURIComponent(JSON.stringify({ date: new Date(now).toISOString().slice(0, 10) }));
  expect((await local('POST', `/jobs/Settle?input=${input}`)).status).toBe(200);
}

/** The reconciler, the settlement of a day, and an event that the stream gave up and the sweeper sends. */
async function background(walk: Walk, lines: readonly string[]): Promise<void> {
  const { local, cloud, caller, correlationId, secret } = walk;
  expect((await local('POST', '/jobs/Reconcile')).status).toBe(200);
  await settleADay(walk);
  await local('POST', '/faults', { function: 'OutboxRelay', fault: 'crash-before=1', count: 20 });
  const event = { type: 'large-transfer', correlationId, body: { text: secret(`text-${randomUUID()}`) } };
  const left = outboxItem({ ...event, id: randomUUID(), createdAt: milliseconds(Date.now() - 120_000) });
  await caller.table.client.send(new PutCommand({ TableName: cloud.tableNames.idempotency, Item: left }));
  await vi.waitFor(
    async () => {
      await local('POST', '/jobs/OutboxSweep');
      expect(lines.filter((line) => line.includes('left over')).length).toBeGreaterThan(0);
      expect(
        lines.filter((line) => line.includes('"consumer":"notifications"') && line.includes('invalid-body')).length,
      ).toBeGreaterThan(0);
    },
    { timeout: 20_000, interval: 500 },
  );
  await local('DELETE', '/faults');
}
