import { byId, fill, make } from './element.ts';
import type { CloudState } from './local-cloud.ts';
import { type Payment, referencePrefixes } from './payment.ts';

/** So many records are shown. */
const MOST = 8;

type KeptRecord = CloudState['records'][number];

/** A key as it is shown: it is long, and its ends tell it apart. @example shortKey('1234567890123') // '1234…0123' */
export const shortKey = (key: string): string => (key.length > 10 ? `${key.slice(0, 4)}…${key.slice(-4)}` : key);

/** Shows what the server keeps under keys, the newest first; the store has only their hashes. */
export async function showKeyStore(payments: readonly Payment[], { records }: CloudState): Promise<void> {
  const names = await namesOfKeys(payments);
  const rows = records
    .toSorted((one, other) => other.firstSeenAt - one.firstSeenAt)
    .slice(0, MOST)
    .map((record) => rowOf(record, names.get(prefixOf(record))));
  const empty = make('tr', {}, make('td', { colSpan: '4', className: 'empty' }, 'No key has been used yet.'));
  fill(byId('key-store', HTMLTableSectionElement), ...(rows.length > 0 ? rows : [empty]));
}

/** What the page calls its keys, by how their operation ids begin. */
async function namesOfKeys(payments: readonly Payment[]): Promise<ReadonlyMap<string, string>> {
  const keys = payments.flatMap(({ keys: used }) => used);
  const named = keys.map(async (key) => [(await referencePrefixes(key))[0] ?? '', shortKey(key)] as const);
  return new Map(await Promise.all(named));
}

const prefixOf = ({ operationId }: KeptRecord): string => operationId.slice(0, operationId.indexOf('.') + 1);

function rowOf(record: KeptRecord, key = 'somebody’s'): HTMLTableRowElement {
  const cells = [key, record.status.replace('_', ' '), String(record.attempt), answerOf(record)];
  return make(
    'tr',
    { title: record.operationId, className: record.status },
    ...cells.map((cell) => make('td', {}, cell)),
  );
}

function answerOf({ reply, leaseUntil, status }: KeptRecord): string {
  if (reply !== undefined) return String(reply.status);
  const seconds = Math.ceil(((leaseUntil ?? 0) - Date.now()) / 1_000);
  return status === 'in_progress' ? `leased, ${Math.max(0, seconds)} s left` : '–';
}
