import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyRecord } from '../protocol/record.ts';
import type { RecordCondition } from './record-condition.ts';
import { readRaw, readRecordItem } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** Written, or what stands there instead (undefined: it vanished while we looked), or a setback. */
export type PutOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'met'; readonly record: IdempotencyRecord | undefined }
  | Setback;

/**
 * The conditional PutItem of a record. The loser learns everything from this one call, since the failing condition
 * returns the item it met (R9).
 *
 * @rule R9
 * @throws the SDK's error for anything that no retry mends
 */
export async function putRecord(
  store: Store,
  record: IdempotencyRecord,
  condition: RecordCondition,
  signal: AbortSignal,
): Promise<PutOutcome> {
  try {
    const put = new PutCommand({
      TableName: store.table,
      Item: record,
      ...condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await store.client.send(put, { abortSignal: signal });
    return { kind: 'written' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      const item = readRaw(error.Item);
      return { kind: 'met', record: item === undefined ? undefined : readRecordItem(item) };
    }
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
