import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { INBOX_VERSION, type Inbox } from '../protocol/inbox.ts';
import type { Effect } from '../protocol/plan.ts';
import { readInboxItem, sumAttribute } from './inbox-item.ts';
import { readRaw } from './record-item.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';
import { type GuardedOutcome, transactGuarded } from './transact-guarded.ts';

/** What one run of messages makes of a sender's inbox. */
export interface Advance {
  readonly key: { readonly pk: string };
  /** New for each write, and the same when it is sent again. */
  readonly ownerToken: string;
  /** The mark that the run starts from: the condition of the write. */
  readonly from: number;
  readonly to: number;
  /** The numbers applied: they are parked no longer. */
  readonly applied: readonly number[];
  /** What to add to each sum, and between what it must be before. */
  readonly sums: readonly SumChange[];
  /** The new state; absent where there are only sums. */
  readonly state?: unknown;
}

export interface SumChange {
  readonly name: string;
  readonly add: number;
  readonly least: number;
  readonly most: number;
}

/** Written (perhaps by an earlier send of the same write), or the inbox that was met instead (undefined: none was there), or a setback. */
export type InboxWrite =
  | { readonly kind: 'written' }
  | { readonly kind: 'met'; readonly inbox: Inbox | undefined }
  | Setback;

/**
 * Applies a run of messages and advances the mark, in one conditional write. The mark's old value is the condition, so a
 * run that starts right after it needs no read; the loser learns the mark from the same call.
 *
 * @rule R10
 * @rule R29
 */
export async function advanceMark(store: Store, advance: Advance, signal: AbortSignal): Promise<InboxWrite> {
  const outcome = await updateInbox(store, advance.key, advanceExpression(advance), signal);
  const ours = outcome.kind === 'met' && outcome.inbox?.ownerToken === advance.ownerToken;
  return ours ? { kind: 'written' } : outcome;
}

export interface AdvanceWithEffects extends Advance {
  readonly effects: readonly Effect[];
}

/** The same together with effects elsewhere, in one transaction with the mark as item 0. @rule R29 */
export async function advanceWithEffects(
  store: Store,
  advance: AdvanceWithEffects,
  signal: AbortSignal,
): Promise<InboxWrite | Extract<GuardedOutcome, { kind: 'effect-refused' }>> {
  const guard = { Update: { Key: advance.key, ...advanceExpression(advance) } };
  const outcome = await transactGuarded(store, guard, advance.effects, signal);
  if (outcome.kind !== 'met') return outcome;
  const inbox = outcome.item && readInboxItem(outcome.item);
  return inbox?.ownerToken === advance.ownerToken ? { kind: 'written' } : { kind: 'met', inbox };
}

function advanceExpression({ ownerToken, from, to, applied, sums, state }: Advance): Expression {
  const names: Record<string, string> = { '#last': 'last' };
  const values: Record<string, unknown> = { ':from': from, ':to': to, ':token': ownerToken, ':version': INBOX_VERSION };
  for (const [index, { name, add, least, most }] of sums.entries()) {
    names[`#sum${index}`] = sumAttribute(name);
    Object.assign(values, { [`:add${index}`]: add, [`:least${index}`]: least, [`:most${index}`]: most });
  }
  if (state !== undefined) Object.assign(names, { '#state': 'state' });
  if (state !== undefined) Object.assign(values, { ':state': state });
  const adds = sums.map((_, index) => `#sum${index} :add${index}`);
  const fits = sums.map(
    (_, index) => ` AND (attribute_not_exists(#sum${index}) OR #sum${index} BETWEEN :least${index} AND :most${index})`,
  );
  return {
    UpdateExpression: [
      `SET #last = :to, ownerToken = :token, schemaVersion = :version${state === undefined ? '' : ', #state = :state'}`,
      ...(adds.length > 0 ? [`ADD ${adds.join(', ')}`] : []),
      'DELETE parked :applied',
    ].join(' '),
    ConditionExpression: markIs(from) + fits.join(''),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':applied': new Set(applied) },
  };
}

/** So many parked numbers are kept; past them the sender is told of the first gaps only, which is where it must start. */
const MOST_PARKED = 1_000;

/**
 * Notes numbers that came too early, so that their sender can see what is missing. Nothing is noted when the mark has
 * moved meanwhile: then they may be due.
 *
 * @rule R29
 */
export const parkNumbers = (
  store: Store,
  {
    key,
    last,
    numbers,
  }: { readonly key: { readonly pk: string }; readonly last: number; readonly numbers: readonly number[] },
  signal: AbortSignal,
): Promise<InboxWrite> =>
  updateInbox(
    store,
    key,
    {
      UpdateExpression: 'SET #last = :from, schemaVersion = :version ADD parked :numbers',
      ConditionExpression: `${markIs(last)} AND (attribute_not_exists(parked) OR size(parked) < :most)`,
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: {
        ':from': last,
        ':version': INBOX_VERSION,
        ':numbers': new Set(numbers),
        ':most': MOST_PARKED,
      },
    },
    signal,
  );

/** A sender that was never heard of has its mark at 0. */
const markIs = (last: number): string =>
  last === 0 ? '(attribute_not_exists(#last) OR #last = :from)' : '#last = :from';

interface Expression {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

async function updateInbox(
  store: Store,
  key: { readonly pk: string },
  expression: Expression,
  signal: AbortSignal,
): Promise<InboxWrite> {
  try {
    const update = new UpdateCommand({
      TableName: store.table,
      Key: key,
      ...expression,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await store.client.send(update, { abortSignal: signal });
    return { kind: 'written' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      const item = readRaw(error.Item);
      return { kind: 'met', inbox: item && readInboxItem(item) };
    }
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
