import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { ifHeldBy } from './record-condition.ts';
import { readRaw, readRecordItem } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** Released (or gone already), or held by another by now, or a setback. */
export type ReleaseOutcome =
  | { readonly kind: 'released' }
  | { readonly kind: 'met'; readonly record: IdempotencyRecord }
  | Setback;

/**
 * The fenced delete that makes a key usable again, when it is certain that nothing happened under it.
 *
 * @rule R12
 * @rule R14
 */
export async function releaseRecord(
  store: Store,
  pk: string,
  ownerToken: string,
  signal: AbortSignal,
): Promise<ReleaseOutcome> {
  try {
    const release = new DeleteCommand({
      TableName: store.table,
      Key: { pk },
      ...ifHeldBy(ownerToken),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await store.client.send(release, { abortSignal: signal });
    return { kind: 'released' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      const item = readRaw(error.Item);
      return item === undefined ? { kind: 'released' } : { kind: 'met', record: readRecordItem(item) };
    }
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
