import type { IdempotencyRecord } from '../protocol/record.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { ifWaiting } from '../store/if-waiting.ts';
import { putRecord } from '../store/put-record.ts';
import type { Engine } from './engine.ts';
import { findOperation } from './find-operation.ts';
import { resumedRecord } from './new-record.ts';
import { persist } from './persist.ts';

/** What became of it: the reconciler goes on with it, or there is nothing that waits for a person. */
export type Resolved =
  | { readonly kind: 'resumed' }
  | { readonly kind: 'not-waiting'; readonly record: IdempotencyRecord }
  | { readonly kind: 'not-found' };

/**
 * Lets an operation go on that waits for a person, once what kept it from ending has been mended: the provider answers
 * again, or the account that a booking missed is there. The reconciler, or a retry, takes it over at its recovery point,
 * with all its tries before it. Nothing is decided here: the operation ends as the other side says.
 *
 * @rule R11
 * @param reference the operation id, or the key's hash
 * @throws SemelError when the store does not answer
 */
export async function resolve(engine: Engine, reference: string, deadline: Milliseconds): Promise<Resolved> {
  const { store, surroundings } = engine;
  const seen = await findOperation(engine, reference, deadline);
  if (seen === undefined) return { kind: 'not-found' };
  if (seen.status !== 'needs_attention') return { kind: 'not-waiting', record: seen };
  const record = resumedRecord(seen, surroundings.token(), surroundings.now());
  const outcome = await persist(surroundings, deadline, (signal) =>
    putRecord(store, record, ifWaiting(seen.ownerToken), signal),
  );
  if (outcome.kind === 'written') return { kind: 'resumed' };
  // The write that was lost and sent again meets itself (R10).
  if (outcome.record?.ownerToken === record.ownerToken) return { kind: 'resumed' };
  return outcome.record === undefined ? { kind: 'not-found' } : { kind: 'not-waiting', record: outcome.record };
}
