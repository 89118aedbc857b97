import type { Effect } from '../protocol/plan.ts';
import type { Milliseconds } from '../protocol/time.ts';

/** The two indexes under which an entry is listed, one for each side of it. */
export const BY_DEBTOR = 'byDebtor';
export const BY_CREDITOR = 'byCreditor';

interface EntryFacts {
  /** The id of what is booked. */
  readonly id: string;
  readonly kind: 'opening' | 'transfer' | 'charge' | 'refund';
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
export const entry = ({ operation, ...facts }: EntryFacts): Effect => ({
  Put: {
    Item: {
      ...entryKey(facts.id),
      ...facts,
      entryUuid: operation.uuid,
      operation: operation.id,
      createdAt: operation.now,
    },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
