import { SemelError } from '../protocol/problems.ts';
import type { InProgressRecord, NeedsAttentionRecord } from '../protocol/record.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { findUnfinished } from '../store/find-unfinished.ts';
import { readRecord } from '../store/read-record.ts';
import type { Engine } from './engine.ts';
import { ATTENTION_SHARD, PENDING_SHARDS } from './new-record.ts';
import { persist } from './persist.ts';

export type UnfinishedRecord = InProgressRecord | NeedsAttentionRecord;

/** What was found, and whether there is more. */
export interface UnfinishedOperations {
  readonly records: readonly UnfinishedRecord[];
  /** Why the others could not be read, such as that a newer version wrote them. */
  readonly unreadable: readonly string[];
  readonly more: boolean;
}

/** Of each shard; whoever has more than these unfinished does not need a longer list. */
const PAGE = 100;
/** Leases end within minutes; all of them are asked for, those too that still run. */
const ANY_LEASE = milliseconds(Number.MAX_SAFE_INTEGER);

/**
 * Lists the `leased` operations that are not over: those that wait for a person first, then those whose lease lapsed the
 * longest ago. An `atomic` operation is never unfinished.
 *
 * @throws SemelError when the store does not answer
 */
export async function listUnfinished(engine: Engine, deadline: Milliseconds): Promise<UnfinishedOperations> {
  const { store, surroundings } = engine;
  const found = await Promise.all(
    [ATTENTION_SHARD, ...PENDING_SHARDS].map((shard) =>
      persist(surroundings, deadline, (signal) => findUnfinished(store, shard, ANY_LEASE, PAGE, signal)),
    ),
  );
  const records: UnfinishedRecord[] = [];
  const unreadable: string[] = [];
  for (const pk of found.flatMap(({ pks }) => pks)) {
    try {
      const { record } = await persist(surroundings, deadline, (signal) => readRecord(store, pk, signal));
      // The index lags: what it lists may be over by now.
      if (record !== undefined && record.status !== 'completed') records.push(record);
    } catch (thrown) {
      if (thrown instanceof SemelError || !(thrown instanceof Error)) throw thrown;
      unreadable.push(thrown.message);
    }
  }
  return { records: records.sort(byUrgency), unreadable, more: found.some(({ pks }) => pks.length === PAGE) };
}

const byUrgency = (left: UnfinishedRecord, right: UnfinishedRecord): number =>
  Number(right.status === 'needs_attention') - Number(left.status === 'needs_attention') ||
  left.leaseUntil - right.leaseUntil;
