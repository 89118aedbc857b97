import type { Effect, Item } from '../protocol/plan.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import type { RecordCondition } from './record-condition.ts';
import { readRecordItem } from './record-item.ts';
import type { Setback } from './setback.ts';
import type { Store } from './store.ts';
import { transactGuarded } from './transact-guarded.ts';

/** Written, or lost to the record, or refused by one effect's condition, or a setback. */
export type TransactOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'met'; readonly record: IdempotencyRecord | undefined }
  | { readonly kind: 'effect-refused'; readonly index: number; readonly old: Item | undefined }
  | Setback;

/**
 * Commits a record together with its effects, so that there is never a moment with one but not the other.
 *
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
  const outcome = await transactGuarded(store, { Put: { Item: { ...record }, ...condition } }, effects, signal);
  if (outcome.kind !== 'met') return outcome;
  return { kind: 'met', record: outcome.item && readRecordItem(outcome.item) };
}
