import type { Effect } from '../protocol/plan.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { putRecord } from './put-record.ts';
import type { RecordCondition } from './record-condition.ts';
import type { Store } from './store.ts';
import { type TransactOutcome, transact } from './transact.ts';

/** Writes a record, with its effects where it has any: alone it is a PutItem, which costs half of a transaction. */
export const writeRecord = (
  store: Store,
  record: IdempotencyRecord,
  condition: RecordCondition,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<TransactOutcome> =>
  effects.length === 0
    ? putRecord(store, record, condition, signal)
    : transact(store, record, condition, effects, signal);
