import { decideMarker, type Marker, type MarkerDecision } from '../protocol/marker.ts';
import type { Effect, Item } from '../protocol/plan.ts';
import { IF_ABSENT } from './record-condition.ts';
import type { Setback } from './setback.ts';
import type { Store } from './store.ts';
import { transactGuarded } from './transact-guarded.ts';

/** Applied, or what the marker in the way says, or refused by one effect's condition, or a setback. */
export type MarkedOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: Exclude<MarkerDecision, 'applied-by-us'> }
  | { readonly kind: 'effect-refused'; readonly index: number; readonly old: Item | undefined }
  | Setback;

/** The marker expired and was swept between the failed condition and its answer: once more. */
const GONE: Setback = { kind: 'setback', reason: 'conflict' };

/**
 * Applies effects and says so, in one TransactWriteItems with the marker as item 0: a message that fails leaves no
 * marker, and one that is marked has happened.
 *
 * @rule R25
 * @throws SemelError `internal-error` when DynamoDB would refuse the plan outright; nothing is sent then
 * @throws the SDK's error for anything that no retry mends
 */
export async function applyMarked(
  store: Store,
  marker: Marker,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<MarkedOutcome> {
  const outcome = await transactGuarded(store, { Put: { Item: { ...marker }, ...IF_ABSENT } }, effects, signal);
  if (outcome.kind === 'written') return { kind: 'applied' };
  if (outcome.kind !== 'met') return outcome;
  if (outcome.item === undefined) return GONE;
  const decision = decideMarker(outcome.item as unknown as Marker, marker);
  return { kind: decision === 'applied-by-us' ? 'applied' : decision };
}
