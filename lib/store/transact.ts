import { createHash } from 'node:crypto';
import { type CancellationReason as RawReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type CancellationReason, readCancellation } from '../protocol/cancellation.ts';
import type { Effect, Item } from '../protocol/plan.ts';
import { checkPlan } from '../protocol/plan-limits.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import type { RecordCondition } from './record-condition.ts';
import { readRaw, readRecordItem } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** Written, or lost to the record, or refused by one effect's condition, or a setback. */
export type TransactOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'met'; readonly record: IdempotencyRecord | undefined }
  | { readonly kind: 'effect-refused'; readonly index: number; readonly old: Item | undefined }
  | Setback;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Commits a record together with its effects: one TransactWriteItems with the record as item 0, so that there is never
 * a moment with one but not the other.
 *
 * The client request token is derived from everything that is sent, the owner token included: a resend carries the same
 * one and is applied once; a new plan carries another (R10).
 *
 * @rule R10
 * @rule R22
 * @throws SemelError `internal-error` when DynamoDB would refuse the plan outright; nothing is sent then
 * @throws the SDK's error for anything that no retry mends
 */
export async function transact(
  store: Store,
  record: IdempotencyRecord,
  condition: RecordCondition,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<TransactOutcome> {
  checkPlan(effects, store.dataTable);
  const recordWrite: TransactItem = {
    Put: { TableName: store.table, Item: record, ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  };
  const items = [recordWrite, ...effects.map((effect) => effectWrite(effect, store.dataTable))];
  try {
    const write = new TransactWriteCommand({ TransactItems: items, ClientRequestToken: requestToken(items) });
    await store.client.send(write, { abortSignal: signal });
    return { kind: 'written' };
  } catch (error) {
    return readFailure(error);
  }
}

/** At most 36 characters are allowed; 144 bits of a SHA-256 tell any two plans apart. */
const requestToken = (items: readonly TransactItem[]): string =>
  createHash('sha256').update(JSON.stringify(items, spellOut)).digest('hex').slice(0, 36);

/** JSON has no text for these, and two plans that differ only in them must not share a token. */
function spellOut(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Set ? [...value] : value;
}

function effectWrite(effect: Effect, defaultTable: string): TransactItem {
  const { refuse: _, ...write } = effect;
  const [[action, target]] = Object.entries(write) as [[string, { ConditionExpression?: string }]];
  return {
    [action]: {
      TableName: defaultTable,
      ...target,
      ...(target.ConditionExpression && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    },
  } as TransactItem;
}

function readFailure(error: unknown): TransactOutcome {
  if (!(error instanceof TransactionCanceledException)) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
  const cancellation = readCancellation((error.CancellationReasons ?? []).map(readReason));
  switch (cancellation.kind) {
    case 'record':
      return { kind: 'met', record: cancellation.item && readRecordItem(cancellation.item) };
    case 'effect':
      return { kind: 'effect-refused', index: cancellation.index, old: cancellation.old };
    case 'retry':
      return { kind: 'setback', reason: cancellation.reason === 'TransactionConflict' ? 'conflict' : 'throttle' };
    case 'rejected':
      throw error;
  }
}

function readReason(reason: RawReason): CancellationReason {
  const item = readRaw(reason.Item);
  return {
    ...(reason.Code !== undefined && { Code: reason.Code }),
    ...(reason.Message !== undefined && { Message: reason.Message }),
    ...(item !== undefined && { Item: item }),
  };
}
