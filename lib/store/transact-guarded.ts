import { createHash } from 'node:crypto';
import { type CancellationReason as RawReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type CancellationReason, readCancellation } from '../protocol/cancellation.ts';
import { OWN_TABLE } from '../protocol/outbox.ts';
import type { Effect, Item } from '../protocol/plan.ts';
import { checkPlan } from '../protocol/plan-limits.ts';
import { readRaw } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** The conditional write that a transaction stands or falls with: on Semel's own table, and always item 0. */
export type Guard =
  | { readonly Put: { readonly Item: Item; readonly ConditionExpression: string } }
  | {
      readonly Update: { readonly Key: Item; readonly UpdateExpression: string; readonly ConditionExpression: string };
    };

/**
 * In the place of a guard, for effects that protect themselves: what tells this request from another that plans the very
 * same writes. Without it DynamoDB would take the second for a resend of the first and drop it for ten minutes.
 */
export interface Unguarded {
  readonly requestedBy: string;
}

/** Written, or lost to the item that the guard met, or refused by one effect's condition, or a setback. */
export type GuardedOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'met'; readonly item: Item | undefined }
  | { readonly kind: 'effect-refused'; readonly index: number; readonly old: Item | undefined }
  | Setback;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Commits a guarded write together with its effects: one TransactWriteItems with the guard as item 0, so that there is
 * never a moment with one but not the other. Effects that protect themselves need no guard.
 *
 * The client request token is derived from everything that is sent, the owner token included: a resend carries the same
 * one and is applied once; a new plan carries another (R10).
 *
 * @rule R10
 * @rule R22
 * @throws SemelError `internal-error` when DynamoDB would refuse the plan outright; nothing is sent then
 * @throws the SDK's error for anything that no retry mends
 */
export async function transactGuarded(
  store: Store,
  guard: Guard | Unguarded,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<GuardedOutcome> {
  checkPlan(effects, store.dataTable);
  const guarded = !('requestedBy' in guard);
  const guards = guarded ? [writeOf(guard, store.table)] : [];
  const items = [...guards, ...effects.map((effect) => effectWrite(effect, store))];
  try {
    const write = new TransactWriteCommand({ TransactItems: items, ClientRequestToken: requestToken(guard, items) });
    await store.client.send(write, { abortSignal: signal });
    return { kind: 'written' };
  } catch (error) {
    return readFailure(error, guarded);
  }
}

/** At most 36 characters are allowed; 144 bits of a SHA-256 tell any two plans apart. */
const requestToken = (guard: Guard | Unguarded, items: readonly TransactItem[]): string =>
  createHash('sha256')
    .update(JSON.stringify([guard, items], spellOut))
    .digest('hex')
    .slice(0, 36);

/** JSON has no text for these, and two plans that differ only in them must not share a token. */
function spellOut(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Set ? [...value] : value;
}

function effectWrite({ refuse: _, ...write }: Effect, store: Store): TransactItem {
  const [target] = Object.values(write) as [{ TableName?: string }];
  return writeOf(write, target.TableName === OWN_TABLE ? store.table : (target.TableName ?? store.dataTable));
}

/** What a failing condition met is asked for, since it is what the loser decides by (R9). */
function writeOf(write: object, table: string): TransactItem {
  const [[action, target]] = Object.entries(write) as [[string, { ConditionExpression?: string }]];
  const returned = target.ConditionExpression && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  return { [action]: { ...target, TableName: table, ...returned } } as TransactItem;
}

function readFailure(error: unknown, guarded: boolean): GuardedOutcome {
  if (!(error instanceof TransactionCanceledException)) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
  const reasons = (error.CancellationReasons ?? []).map(readReason);
  const cancellation = readCancellation(guarded ? reasons : [NO_GUARD, ...reasons]);
  switch (cancellation.kind) {
    case 'record':
      return { kind: 'met', item: cancellation.item };
    case 'effect':
      return { kind: 'effect-refused', index: cancellation.index, old: cancellation.old };
    case 'retry':
      return { kind: 'setback', reason: cancellation.reason === 'TransactionConflict' ? 'conflict' : 'throttle' };
    case 'rejected':
      throw error;
  }
}

/** In the place of a guard that was not sent. */
const NO_GUARD: CancellationReason = { Code: 'None' };

function readReason(reason: RawReason): CancellationReason {
  const item = readRaw(reason.Item);
  return {
    ...(reason.Code !== undefined && { Code: reason.Code }),
    ...(reason.Message !== undefined && { Message: reason.Message }),
    ...(item !== undefined && { Item: item }),
  };
}
