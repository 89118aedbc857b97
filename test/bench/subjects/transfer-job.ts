import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod';
import { apiKeyAddress, hashApiKey } from '../../../lib/http/api-keys.ts';
import { type Effect, isRefusal } from '../../../lib/protocol/plan.ts';
import { milliseconds } from '../../../lib/protocol/time.ts';
import { readRaw } from '../../../lib/store/record-item.ts';
import { credit, debit } from '../../../lib/wallet/account.ts';
import { entry, entryKey } from '../../../lib/wallet/entry.ts';
import { CreateTransfer } from '../../../lib/wallet/transfer.ts';

/** What every subject answers with. */
export interface JobResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Where the job is done. */
export interface JobStore {
  readonly client: DynamoDBDocumentClient;
  readonly dataTable: string;
  /** Whoever asks, where looking that up is not what is measured. */
  readonly caller?: string;
}

export type Transfer = z.infer<typeof CreateTransfer>;

/** The body, checked by the wallet's own schema. */
export const readTransfer = (body: string | undefined): Transfer | undefined =>
  CreateTransfer.safeParse(JSON.parse(body ?? 'null')).data;

/** Who asks, by the same look-up as in the wallet; undefined for nobody known. */
export async function callerOf(authorization: string | undefined, store: JobStore): Promise<string | undefined> {
  if (store.caller !== undefined) return store.caller;
  const key = authorization?.replace(/^Bearer /, '') ?? '';
  const get = { TableName: store.dataTable, Key: apiKeyAddress(hashApiKey(key)), ConsistentRead: true };
  const { Item } = await store.client.send(new GetCommand(get));
  return Item?.revokedAt === undefined ? (Item?.caller as string | undefined) : undefined;
}

/**
 * The job itself, without any protection: the same three writes as the wallet's, in one transaction.
 *
 * @throws the SDK's error for anything but a refusal: nothing is known of the outcome then
 */
export async function moveMoney(store: JobStore, transfer: Transfer, caller: string): Promise<JobResponse> {
  const uuid = uuidv7();
  const id = `tr_${uuid}`;
  const { from, to, amount } = transfer;
  const operation = { id, uuid, now: milliseconds(Date.now()) };
  const movement = { amount, currency: 'EUR', entryUuid: uuid };
  const effects: readonly Effect[] = [
    debit({ ...movement, account: from, caller }),
    credit({ ...movement, account: to }),
    entry({ id, kind: 'transfer', amount, debitAccount: from, creditAccount: to, caller, operation }),
  ];
  const refused = await commit(store, effects);
  return refused ?? answer(201, { id, from, to, amount, createdAt: new Date(operation.now) });
}

/** Writes effects in one transaction; answers a refusal where one of their conditions says so. */
export async function commit({ client, dataTable }: JobStore, effects: readonly Effect[]) {
  const items = effects.map(({ refuse: _, ...write }) => {
    const [[action, target]] = Object.entries(write) as [[string, object]];
    return { [action]: { TableName: dataTable, ReturnValuesOnConditionCheckFailure: 'ALL_OLD', ...target } };
  });
  try {
    await client.send(new TransactWriteCommand({ TransactItems: items as never }));
    return undefined;
  } catch (error) {
    const refused = refusalOf(error, effects);
    if (refused === undefined) throw error;
    return refused;
  }
}

function refusalOf(error: unknown, effects: readonly Effect[]): JobResponse | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  const refusal = effects[index]?.refuse?.(readRaw(reasons[index]?.Item));
  return refusal && isRefusal(refusal) ? answer(402, { type: refusal.problem, detail: refusal.detail }) : undefined;
}

/** Shows a transfer to whoever made it. */
export async function showTransfer({ client, dataTable }: JobStore, id: string, caller: string): Promise<JobResponse> {
  const { Item } = await client.send(new GetCommand({ TableName: dataTable, Key: entryKey(id), ConsistentRead: true }));
  if (Item?.caller !== caller) return answer(404, { type: 'transfer-not-found' });
  const { debitAccount: from, creditAccount: to, amount, createdAt } = Item;
  return answer(200, { id, from, to, amount, createdAt: new Date(createdAt) });
}

/** A JSON answer; `retryAfter` in seconds. */
export const answer = (statusCode: number, body: object, retryAfter?: number): JobResponse => ({
  statusCode,
  headers: {
    'content-type': statusCode < 400 ? 'application/json' : 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  },
  body: JSON.stringify(body),
});
