import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { readRecordItem } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

export type ReadOutcome = { readonly kind: 'read'; readonly record: IdempotencyRecord | undefined } | Setback;

const readAs = (item: Record<string, unknown> | undefined): ReadOutcome => ({
  kind: 'read',
  record: item === undefined ? undefined : readRecordItem(item),
});

/**
 * Reads the record consistently: what a hinted retry does before it writes (R24).
 *
 * @rule R24
 */
export async function readRecord(store: Store, pk: string, signal: AbortSignal): Promise<ReadOutcome> {
  try {
    const get = new GetCommand({ TableName: store.table, Key: { pk }, ConsistentRead: true });
    return readAs((await store.client.send(get, { abortSignal: signal })).Item);
  } catch (error) {
    return setbackOf(error);
  }
}

/**
 * Looks at the record inside a read transaction: a plain read may miss a transaction whose other items are already
 * visible, and an answer based on those would contradict it (R15).
 *
 * @rule R15
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export async function lookAtRecord(store: Store, pk: string, signal: AbortSignal): Promise<ReadOutcome> {
  try {
    const look = new TransactGetCommand({ TransactItems: [{ Get: { TableName: store.table, Key: { pk } } }] });
    return readAs((await store.client.send(look, { abortSignal: signal })).Responses?.[0]?.Item);
  } catch (error) {
    // A read transaction is cancelled for one reason that is not a setback's own name: somebody writes the item now.
    if (error instanceof TransactionCanceledException) return { kind: 'setback', reason: 'conflict' };
    return setbackOf(error);
  }
}

function setbackOf(error: unknown): Setback {
  const setback = readSetback(error);
  if (setback === undefined) throw error;
  return setback;
}
