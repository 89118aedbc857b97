import { EVERY_OPERATION } from '../protocol/counters.ts';
import type { LeasedOperation } from '../protocol/leased-operation.ts';
import { SemelError } from '../protocol/problems.ts';
import type { InProgressRecord } from '../protocol/record.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { findUnfinished, type PageEnd } from '../store/find-unfinished.ts';
import { putRecord } from '../store/put-record.ts';
import { readRecord } from '../store/read-record.ts';
import { ifStill } from '../store/record-condition.ts';
import { deadlineBefore } from './attempt.ts';
import type { Engine } from './engine.ts';
import { type Ending, finishHeld } from './finish-held.ts';
import { HeldRecord } from './held-record.ts';
import { keeping } from './keep-reply.ts';
import { PENDING_SHARDS, takenOverRecord } from './new-record.ts';
import { persist } from './persist.ts';

/** How one unfinished operation was left. */
type Ended = 'settled' | 'cancelled' | 'unknown' | 'needs-attention' | 'taken-by-another' | 'not-ours';
export type Reconciled = Ended | 'failed';

/**
 * Told of each operation that was taken in hand, for the logs. Of a record that could not be read its `pk` is all there
 * is, and of a shard that could not be read its name in place of that. The cause is what failed, or why an outcome is not
 * known.
 */
export type TellReconciled = (
  record: Pick<InProgressRecord, 'pk'> & Partial<InProgressRecord>,
  reconciled: Reconciled,
  cause?: unknown,
) => void;

/** A run of the reconciler over what it found. */
interface ReconcileRun {
  readonly engine: Engine;
  readonly operations: ReadonlyMap<string, LeasedOperation>;
  readonly lapsed: InProgressRecord[];
  readonly faults: unknown[];
  readonly tell: TellReconciled;
  readonly deadline: Milliseconds;
  readonly endsAt: Milliseconds;
}

/** Small, since what is on a page goes stale while it is worked off. */
const PAGE = 25;
/** An operation may take this long, so none is begun after it. */
const LONGEST_OPERATION = 10_000;

/**
 * Finishes operations whose lease has lapsed and whose client did not come back. Each is taken over like by a retry, by
 * compare-and-set, so a stale index, a racing retry and a second reconciler are all harmless. A record that fails, as one
 * does that a newer version wrote, keeps no other one back.
 *
 * @rule R11
 * @param endsAt when the function will be ended, in epoch milliseconds
 * @returns how many operations were left in which state
 * @throws AggregateError of what failed, once everything else is done and measured
 */
export async function reconcile(
  engine: Engine,
  operations: readonly LeasedOperation[],
  endsAt: Milliseconds,
  tell: TellReconciled = () => {},
): Promise<Readonly<Record<string, number>>> {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const found = { lapsed: [], faults: [] };
  const run: ReconcileRun = { engine, operations: byName, deadline: deadlineBefore(endsAt), endsAt, tell, ...found };
  const startedAt = engine.surroundings.now();
  const counts: Record<string, number> = {};
  const add = (reconciled: Reconciled) => {
    counts[reconciled] = (counts[reconciled] ?? 0) + 1;
  };
  await Promise.all(
    PENDING_SHARDS.map((shard) => reconcileShard(run, shard, add).catch((thrown) => add(failed(run, shard, thrown)))),
  );
  measureLapsed(run, startedAt);
  if (run.faults.length === 0) return counts;
  throw new AggregateError(
    run.faults,
    `${run.faults.length} records or shards could not be reconciled: ${JSON.stringify(counts)}`,
  );
}

/**
 * One after the other, since the provider behind a lapsed lease is often one that is not well; and page after page while
 * there is time, since the longest lapsed may all be operations that nobody here can finish.
 */
async function reconcileShard(run: ReconcileRun, shard: string, add: (reconciled: Reconciled) => void): Promise<void> {
  const { store, surroundings } = run.engine;
  const endedBy = surroundings.now();
  let after: PageEnd | undefined;
  do {
    const page = await persist(surroundings, run.deadline, (signal) =>
      findUnfinished(store, shard, endedBy, PAGE, signal, after),
    );
    for (const pk of page.pks) {
      if (surroundings.now() + LONGEST_OPERATION > run.deadline) return;
      const reconciled = await reconcileOne(run, pk).catch((thrown) => failed(run, pk, thrown));
      if (reconciled !== undefined) add(reconciled);
    }
    after = page.end;
  } while (after !== undefined);
}

/** Keeps a fault for the end of the run. */
function failed({ engine, lapsed, faults, tell }: ReconcileRun, pk: string, fault: unknown): 'failed' {
  const record = lapsed.find((read) => read.pk === pk);
  faults.push(fault);
  engine.count('reconciled-failed', record?.operation ?? EVERY_OPERATION);
  tell(record ?? { pk }, 'failed', fault);
  return 'failed';
}

async function reconcileOne(run: ReconcileRun, pk: string): Promise<Ended | undefined> {
  const { store, surroundings, count } = run.engine;
  const { record } = await persist(surroundings, run.deadline, (signal) => readRecord(store, pk, signal));
  if (record?.status !== 'in_progress' || record.leaseUntil > surroundings.now()) return undefined;
  run.lapsed.push(record);
  const operation = run.operations.get(record.operation);
  if (operation === undefined) {
    run.tell(record, 'not-ours');
    return 'not-ours';
  }
  const ending = await finishTakenOver(run, record, operation);
  const reconciled = readEnding(ending);
  count(`reconciled-${reconciled}`, record.operation);
  run.tell(record, reconciled, causeOf(ending));
  return reconciled;
}

/**
 * Measures what this run found, zeros too: an alarm must tell "nothing is unfinished" from "nobody looked". How long an
 * operation has been unfinished counts from its first request, since each look renews its lease.
 *
 * @rule R38
 */
function measureLapsed({ engine: { measure }, operations, lapsed }: ReconcileRun, now: Milliseconds): void {
  const names = new Set([...operations.keys(), ...lapsed.map(({ operation }) => operation)]);
  for (const name of names) {
    const own = lapsed.filter(({ operation }) => operation === name);
    const oldest = (times: readonly Milliseconds[]) => Math.max(0, ...times.map((time) => now - time)) / 1_000;
    measure('unfinished-count', name, own.length);
    if (operations.has(name)) {
      measure('unfinished-oldest-age', name, oldest(own.map(({ firstSeenAt }) => firstSeenAt)));
    } else {
      measure('abandoned-oldest-age', name, oldest(own.map(({ leaseUntil }) => leaseUntil)));
    }
  }
}

async function finishTakenOver(
  { engine, deadline, endsAt }: ReconcileRun,
  seen: InProgressRecord,
  operation: LeasedOperation,
): Promise<Ending> {
  const { store, surroundings } = engine;
  const record = takenOverRecord(seen, { ownerToken: surroundings.token(), endsAt }, surroundings.now());
  const outcome = await persist(surroundings, deadline, (signal) => putRecord(store, record, ifStill(seen), signal));
  // The write that was lost and sent again meets itself: it is ours all the same (R10).
  if (outcome.kind === 'met' && outcome.record?.ownerToken !== record.ownerToken) {
    return { kind: 'lost', record: outcome.record };
  }
  engine.count('taken-over', record.operation);
  const held = new HeldRecord(engine, record, deadline);
  const keep = keeping(engine, operation.storedBody, record);
  return finishHeld({ engine, operation, held, keep, deadline, reserved: false });
}

function readEnding(ending: Ending): Exclude<Ended, 'not-ours'> {
  switch (ending.kind) {
    case 'completed':
      return ending.counter === 'new' ? 'settled' : 'cancelled';
    case 'lost':
      return 'taken-by-another';
    case 'suspended':
      return ending.counter === 'needs-attention' ? 'needs-attention' : 'unknown';
  }
}

/** What stands behind an answer that nobody waits for here; a problem that has nothing behind it speaks for itself. */
function causeOf(ending: Ending): unknown {
  if (ending.kind !== 'suspended' || !(ending.answer instanceof SemelError)) return undefined;
  return ending.answer.cause ?? ending.answer;
}
