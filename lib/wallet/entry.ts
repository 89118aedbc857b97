import type { Effect, Item } from '../protocol/plan.ts';
import type { Milliseconds } from '../protocol/time.ts';

/** The two indexes under which an entry is listed, one for each side of it. */
export const BY_DEBTOR = 'byDebtor';
export const BY_CREDITOR = 'byCreditor';

interface EntryFacts {
  /** The id of what is booked. */
  readonly id: string;
  readonly kind: 'opening' | 'transfer' | 'charge' | 'refund' | 'deposit' | 'order' | 'payment';
  readonly amount: number;
  /** Where the money leaves; absent when it comes from outside. */
  readonly debitAccount?: string;
  /** Where the money arrives; absent when it goes outside. */
  readonly creditAccount?: string;
  readonly caller: string;
  readonly operation: { readonly id: string; readonly uuid: string; readonly now: Milliseconds };
}

export const entryKey = (id: string) => ({ pk: `entry#${id}`, sk: 'entry' });

/**
 * Books a movement: one item that names both sides, so that debit and credit cannot drift apart. Each side's account
 * lists it through an index, which makes it one write in the transaction and not two.
 */
export const entry = (facts: EntryFacts): Effect => ({
  Put: { Item: entryItem(facts), ConditionExpression: 'attribute_not_exists(pk)' },
});

/** The same for an outcome outside: it happened, so nothing may keep it from being booked. */
export const settledEntry = (facts: EntryFacts): Effect => ({ Put: { Item: entryItem(facts) } });

const entryItem = ({ operation, ...facts }: EntryFacts): Item => ({
  ...entryKey(facts.id),
  ...facts,
  entryUuid: operation.uuid,
  operation: operation.id,
  createdAt: operation.now,
});

/**
 * An operation as its entry names it when it is booked later than it began: the time inside the UUIDv7, by which entries
 * are listed, is that of the booking, or the entry would change the balances of a page that was already read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function bookedAs({ id, uuid }: EntryFacts['operation'], bookedAt: Milliseconds): EntryFacts['operation'] {
  const time = bookedAt.toString(16).padStart(12, '0');
  return { id, uuid: `${time.slice(0, 8)}-${time.slice(8)}${uuid.slice(13)}`, now: bookedAt };
}
