import type { Item, Refusal, ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, accountNotFound, ownAccount } from './account.ts';
import { type Cursor, readCursor, writeCursor } from './entries-cursor.ts';
import { BY_CREDITOR, BY_DEBTOR } from './entry.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** The indexes follow the table within moments, and money comes in between two looks: this many give both time. */
const MOST_LOOKS = 20;
/** How many entries may stand above a page whose balance is computed back from the account's. */
const MOST_ABOVE = 1_000;
/** An entry stands where its request came, and is booked before the function ends: within 25 s, and some skew. */
const BOOKED_WITHIN = 60_000;

/** Sorts after every UUID. */
const BEYOND_EVERY_UUID = '~';
const SIDES = [
  { index: BY_DEBTOR, account: 'debitAccount', last: 'lastDebit' },
  { index: BY_CREDITOR, account: 'creditAccount', last: 'lastCredit' },
] as const;

/** A page, and what it takes to go on after it. */
interface Page {
  /** One more than the page has, where there are more. */
  readonly rows: readonly Item[];
  /** The account's balance after the first row. */
  readonly balance: number;
  /** The newest entry there was; absent where all rows are too old for anything to come below them. */
  readonly newest?: Item | undefined;
}

/**
 * Lists an account's entries, newest first, each with the account's balance after it. The balance is computed back from
 * the account's own, since a transfer that had to read it first would need a second request. Entries stand in the order
 * in which their requests came; one that is booked late changes the balances above it, so a page that it may still come
 * below is followed by one that is computed anew.
 *
 * @throws SemelError `invalid-query` for a limit or cursor that this service did not give, or a cursor above which too
 * much has happened, and `too-many-conflicts` while the account changes faster than it can be read: a wrong balance would
 * be worse than none
 */
export async function listEntries(
  { id, caller, query }: { id: string; caller: string; query: URLSearchParams },
  read: Reader,
): Promise<ReplyDraft | Refusal> {
  const limit = readLimit(query.get('limit'));
  const after = readCursor(query.get('after'));
  const account = await ownAccount(id, caller, read);
  if (account === undefined) return accountNotFound(id);
  const page = await readPage(account, limit, after, read);
  const entries = withBalances(id, page.rows.slice(0, limit), page.balance);
  const last = entries.at(-1);
  const lastRow = page.rows[entries.length - 1];
  const more = page.rows.length > limit && last && lastRow;
  const balance = more && isSettled(lastRow, page.newest) ? last.balance - last.amount : undefined;
  const next = more ? writeCursor({ uuid: String(lastRow.entryUuid), balance }) : undefined;
  return { status: 200, body: { entries, next } };
}

/**
 * A page is read until account and indexes tell the same story: the account did not change meanwhile, and its last
 * entries are listed. Below entries that are settled nothing changes any more: the cursor has the balance.
 */
async function readPage(account: Item, limit: number, after: Cursor | undefined, read: Reader): Promise<Page> {
  const id = String(account.id);
  const before = after?.uuid ?? BEYOND_EVERY_UUID;
  if (after?.balance !== undefined) return { rows: await readRows(id, limit, before, read), balance: after.balance };
  let seen = account;
  for (let look = 1; look <= MOST_LOOKS; look++) {
    const above = after === undefined ? [] : await readAbove(id, after.uuid, read);
    const rows = await readRows(id, limit, before, read);
    const again = (await read.get(accountKey(id))) ?? seen;
    if (again.version === seen.version && (await isListed(again, [...above, ...rows], read))) {
      const balance = above.reduce((sum, row) => sum - amountOf(id, row), Number(again.balance));
      return { rows, balance, newest: above[0] ?? rows[0] };
    }
    seen = again;
  }
  throw new SemelError('too-many-conflicts', `Account ${id} changes too fast to list its entries. Ask again.`, {
    retryAfter: 1_000,
  });
}

/** Are the account's last entries in their indexes? They may stand below the page, if their requests came early. */
async function isListed(account: Item, rows: readonly Item[], read: Reader): Promise<boolean> {
  const listed = SIDES.map(async (side) => {
    const uuid = account[side.last];
    if (uuid === undefined || rows.some(({ entryUuid }) => entryUuid === uuid)) return true;
    const values = { ':account': account.id, ':uuid': uuid };
    const condition = `${side.account} = :account AND entryUuid = :uuid`;
    return (await read.query({ index: side.index, condition, values, limit: 1 })).length > 0;
  });
  return (await Promise.all(listed)).every(Boolean);
}

/** The entries that a cursor stands below, itself among them. */
async function readAbove(id: string, uuid: string, read: Reader): Promise<readonly Item[]> {
  const rows = await query(read, 'entryUuid >= :uuid', { ':account': id, ':uuid': uuid }, MOST_ABOVE + 1);
  if (rows.length <= MOST_ABOVE) return rows;
  throw new SemelError('invalid-query', 'Too much has been booked since after was given: list from the beginning.');
}

async function readRows(id: string, limit: number, before: string, read: Reader): Promise<readonly Item[]> {
  const found = await query(read, 'entryUuid < :before', { ':account': id, ':before': before }, limit + 1);
  return found.slice(0, limit + 1);
}

/** The account's entries, those of either side, newest first. */
async function query(read: Reader, which: string, values: Item, limit: number): Promise<Item[]> {
  const sides = await Promise.all(
    SIDES.map(({ index, account }) =>
      read.query({ index, condition: `${account} = :account AND ${which}`, values, newestFirst: true, limit }),
    ),
  );
  return sides.flat().sort((a, b) => (String(a.entryUuid) < String(b.entryUuid) ? 1 : -1));
}

/** Can no entry come below this one any more? */
const isSettled = (row: Item, newest: Item | undefined): boolean =>
  newest === undefined || timeOf(row) < timeOf(newest) - BOOKED_WITHIN;

/** The milliseconds in which a UUIDv7 begins (RFC 9562, section 5.7). */
const timeOf = ({ entryUuid }: Item): number => Number.parseInt(String(entryUuid).replace('-', '').slice(0, 12), 16);

const amountOf = (account: string, { debitAccount, amount }: Item): number =>
  debitAccount === account ? -Number(amount) : Number(amount);

/** Walks back from the newest: each entry's balance is the one after it less what came since. */
function withBalances(account: string, rows: readonly Item[], newest: number) {
  let balance = newest;
  return rows.map((row) => {
    const amount = amountOf(account, row);
    const shown = {
      ...{ id: row.id, kind: row.kind, amount, balance, operation: row.operation },
      createdAt: new Date(Number(row.createdAt)),
    };
    balance -= amount;
    return shown;
  });
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new SemelError('invalid-query', `limit must be an integer from 1 to ${MAX_LIMIT}.`);
}
