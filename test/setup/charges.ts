import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject } from 'vitest';
import type { IdempotencyRecord } from '../../lib/protocol/record.ts';
import { MAX_AMOUNT } from '../../lib/wallet/money.ts';
import { type HttpCaller, type HttpReply, newCaller } from './http-caller.ts';

/** A busy machine starts a function within this. */
const LONGEST_WAIT = 20_000;

interface ProviderCharge {
  readonly reference: string;
  readonly amount: number;
  readonly status: string;
}

/** One charge of a caller of its own on the local cloud. The amount is like no other, so the provider's books tell. */
export async function newCharge(source: string) {
  const caller = await newCaller();
  const account = await caller.openAccount();
  const amount = randomInt(1_000_000, 2 ** 47);
  const request = { key: randomUUID(), body: { account, amount, source } };
  const send = (sent: { readonly fault?: string; readonly headers?: Record<string, string> } = {}) =>
    caller.post('/charges', { ...request, ...sent });
  return {
    ...{ caller, account, amount, send },
    providerCharges: async () => (await providerCharges()).filter((charge) => charge.amount === amount),
    records: () => recordsOf(caller),
    /** The lease ends now, as if the time that it lasts had passed. */
    lapse: () => moveLeases(caller, 0),
    /** The lease lasts, however long the test takes. */
    hold: () => moveLeases(caller, Date.now() + 600_000),
    /** One charge at the provider, one in the ledger, nothing held, and this is its reply. */
    expectOne: async (reply: HttpReply) => {
      expect([reply.status, reply.json.status, reply.json.amount]).toEqual([201, 'succeeded', amount]);
      const reference = reply.headers.get('operation-id');
      expect((await providerCharges()).filter((charge) => charge.amount === amount)).toMatchObject([
        { reference, status: 'succeeded' },
      ]);
      const { accounts, entries } = await caller.ledger();
      expect(entries).toMatchObject([{ kind: 'charge', amount, id: reply.json.id }]);
      expect(accounts).toMatchObject([{ balance: amount, available: amount, room: MAX_AMOUNT - amount }]);
    },
  };
}

export type OneCharge = Awaited<ReturnType<typeof newCharge>>;

async function providerCharges(): Promise<readonly ProviderCharge[]> {
  const answer = await fetch(`${inject('cloud').url}/_local/state`);
  return ((await answer.json()) as { providerCharges: ProviderCharge[] }).providerCharges;
}

/** The caller's unfinished records. */
async function recordsOf({ table: { client }, caller }: HttpCaller): Promise<readonly IdempotencyRecord[]> {
  const scan = new ScanCommand({
    TableName: inject('cloud').tableNames.idempotency,
    FilterExpression: 'caller = :caller AND #status = :running',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':caller': caller, ':running': 'in_progress' },
    ConsistentRead: true,
  });
  return ((await client.send(scan)).Items ?? []) as IdempotencyRecord[];
}

async function moveLeases(caller: HttpCaller, end: number): Promise<void> {
  for (const { pk } of await recordsOf(caller)) await moveLease(caller, pk, end);
}

const moveLease = ({ table: { client } }: HttpCaller, pk: string, end: number) =>
  client.send(
    new UpdateCommand({
      TableName: inject('cloud').tableNames.idempotency,
      Key: { pk },
      UpdateExpression: 'SET leaseUntil = :end',
      ConditionExpression: '#status = :running',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':end': end, ':running': 'in_progress' },
    }),
  );

/** Starts the reconciler now, and answers what it returned. */
export async function runReconciler(): Promise<Response> {
  return fetch(`${inject('cloud').url}/_local/jobs/reconcile`, { method: 'POST' });
}

/** Waits for what comes about by itself. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + LONGEST_WAIT;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('It did not come about.');
    await pause(50);
  }
}
