import * as z from 'zod';
import type { Item, Refusal, ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, accountNotFound, ownAccount } from './account.ts';
import { BY_CREDITOR, BY_DEBTOR } from './entry.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** The indexes follow the table within moments, and money comes in between two looks: this many give both time. */
const MOST_LOOKS = 20;

/** Where a page ends: the last entry on it and the account's balance before that entry. */
interface Cursor {
  readonly uuid: string;
  readonly balance: number;
}

const CursorPair = z.tuple([z.string().regex(/^[0-9a-f-]{36}$/), z.int()]);

/** Sorts after every UUID. */
const BEYOND_EVERY_UUID = '~';

/**
 * Lists an account's entries, newest first, each with the account's balance after it. The balance is computed back from
 * the account's own, since a transfer that had to read it first would need a second request. Entries stand in the order
 * in which their requests came.
 *
 * @throws SemelError `invalid-query` for a limit or cursor that this service did not give, and `too-many-conflicts` while
 * the account changes faster than it can be read: a wrong balance would be worse than none
 */
export async function listEntries(
  { id, caller, query }: { id: string; caller: string; query: URLSearchParams },
  read: Reader,
): Promise<ReplyDraft | Refusal> {
  const limit = readLimit(query.get('limit'));
  const after = readCursor(query.get('after'));
  const account = await ownAccount(id, caller, read);
  if (account === undefined) return accountNotFound(id);
  const { rows, balance } = await readPage(account, limit, after, read);
  const entries = withBalances(id, rows.slice(0, limit), balance);
  const last = entries.at(-1);
  const lastRow = rows[entries.length - 1];
  const more = rows.length > limit && last && lastRow;
  const next = more ? writeCursor({ uuid: String(lastRow.entryUuid), balance: last.balance - last.amount }) : undefined;
  return { status: 200, body: { entries, next } };
}

/**
 * The newest page is read until account and indexes tell the same story: the account did not change meanwhile, and its
 * last entry is listed.
 */
async function readPage(account: Item, limit: number, after: Cursor | undefined, read: Reader) {
  const id = String(account.id);
  if (after !== undefined) return { rows: await readRows(id, limit, after.uuid, read), balance: after.balance };
  let seen = account;
  for (let look = 1; look <= MOST_LOOKS; look++) {
    const rows = await readRows(id, limit, BEYOND_EVERY_UUID, read);
    const again = (await read.get(accountKey(id))) ?? seen;
    if (again.version === seen.version && (await isListed(again, rows, read))) {
      return { rows, balance: Number(again.balance) };
    }
    seen = again;
  }
  throw new SemelError('too-many-conflicts', `Account ${id} changes too fast to list its entries. Ask again.`, {
    retryAfter: 1_000,
  });
}

/** Is the account's last entry in its index? It may stand below the page, if its request came before the others'. */
async function isListed({ id, lastEntry }: Item, rows: readonly Item[], read: Reader): Promise<boolean> {
  if (lastEntry === undefined || rows.some(({ entryUuid }) => entryUuid === lastEntry)) return true;
  const found = await query(read, 'entryUuid = :uuid', { ':account': id, ':uuid': lastEntry }, 1);
  return found.length > 0;
}

async function readRows(id: string, limit: number, before: string, read: Reader): Promise<readonly Item[]> {
  const found = await query(read, 'entryUuid < :before', { ':account': id, ':before': before }, limit + 1);
  return found.sort((a, b) => (String(a.entryUuid) < String(b.entryUuid) ? 1 : -1)).slice(0, limit + 1);
}

/** The account's entries, those of either side. */
async function query(read: Reader, which: string, values: Item, limit: number): Promise<Item[]> {
  const side = (index: string, attribute: string) =>
    read.query({ index, condition: `${attribute} = :account AND ${which}`, values, newestFirst: true, limit });
  const sides = await Promise.all([side(BY_DEBTOR, 'debitAccount'), side(BY_CREDITOR, 'creditAccount')]);
  return sides.flat();
}

/** Walks back from the newest: each entry's balance is the one after it less what came since. */
function withBalances(account: string, rows: readonly Item[], newest: number) {
  let balance = newest;
  return rows.map((row) => {
    const amount = row.debitAccount === account ? -Number(row.amount) : Number(row.amount);
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

const writeCursor = ({ uuid, balance }: Cursor): string =>
  btoa(JSON.stringify([uuid, balance]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function readCursor(text: string | null): Cursor | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
    const cursor = CursorPair.safeParse(value);
    if (cursor.success) return { uuid: cursor.data[0], balance: cursor.data[1] };
  } catch {
    // Not base64, not JSON or not a pair: refused below, like any text that was not a cursor.
  }
  throw new SemelError('invalid-query', 'after must be the next of an earlier page, unchanged.');
}
