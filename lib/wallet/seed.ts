import type { Item } from '../protocol/plan.ts';
import { milliseconds } from '../protocol/time.ts';
import { accountItem, openingEntry } from './account.ts';

/** What alice and bob start with. */
const OPENING_BALANCE = 100_000;

/** The accounts of a local start, with their opening entries, as items of the data table. */
export const seedItems = (): readonly Item[] =>
  ['alice', 'bob'].flatMap((caller, index) => {
    const id = `acct_${caller}`;
    const operation = { id: `seed-${caller}`, uuid: `01900000-0000-7000-8000-00000000000${index}`, now: SEEDED_AT };
    const opening = openingEntry(id, OPENING_BALANCE, { caller, operation });
    return [
      accountItem({ id, caller, currency: 'EUR', balance: OPENING_BALANCE, openedBy: operation }),
      ...('Put' in opening ? [opening.Put.Item] : []),
    ];
  });

/** Fixed, so that two starts seed the same. */
const SEEDED_AT = milliseconds(Date.UTC(2024, 5, 9));
