import { beforeAll, expect, it } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { persistentReader } from '../../lib/engine/persistent-reader.ts';
import { runNatural } from '../../lib/engine/run-natural.ts';
import type { Reader } from '../../lib/protocol/reader.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { accountItem } from '../../lib/wallet/account.ts';
import { listEntries } from '../../lib/wallet/entries.ts';
import { transfer } from '../../lib/wallet/transfer.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { putItem } from '../setup/items.ts';

let store: Store;
let read: Reader;
let transfers = 0;
beforeAll(async () => {
  store = await freshStore();
  read = persistentReader(createEngine({ store }), milliseconds(Date.now() + 60_000));
});

interface Page {
  readonly entries: readonly { readonly amount: number; readonly balance: number }[];
  readonly next?: string | undefined;
}

async function pageOf(id: string, limit: number, reader = read, after?: string): Promise<Page> {
  const query = new URLSearchParams({ limit: `${limit}`, ...(after !== undefined && { after }) });
  const reply = await listEntries({ id, caller: 'alice', query }, reader);
  return (reply as unknown as { body: Page }).body;
}

const lines = ({ entries }: Page) => entries.map(({ amount, balance }) => [amount, balance]);

/** An account of alice's, and somebody to pay. */
async function twoAccounts() {
  const names = [`acct_a-${++transfers}-EUR`, `acct_b-${transfers}-EUR`] as const;
  for (const id of names) {
    const openedBy = { id: 'op', uuid: '0', now: milliseconds(0) };
    await putItem(store, accountItem({ id, currency: 'EUR', caller: 'alice', balance: 1_000, openedBy }));
  }
  return names;
}

/** A transfer whose request came at a time of its own. */
const pay = (from: string, to: string, amount: number, came: number) => {
  const time = came.toString(16).padStart(12, '0');
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(++transfers).padStart(12, '0')}`;
  const operation = { id: `op_${uuid}`, uuid, now: milliseconds(came), round: 1 };
  const plan = () => transfer({ from, to, amount, caller: 'alice', operation }, read);
  return runNatural(createEngine({ store }), milliseconds(Date.now() + 60_000), plan);
};

it('entries of an account that changes all the time are refused, not made up', async () => {
  const [alice] = await twoAccounts();
  let version = 0;
  const restless: Reader = { ...read, get: async (key) => ({ ...(await read.get(key)), version: ++version }) };
  await expect(pageOf(alice, 10, restless)).rejects.toMatchObject({ code: 'too-many-conflicts' });
});

it('entries have the right balances while money moves', async () => {
  const [alice, bob] = await twoAccounts();
  const paying = Promise.all(Array.from({ length: 4 }, () => payOften(alice, bob)));
  for (let page = 0; page < 20; page++) {
    const { entries } = await pageOf(alice, 100).catch(() => ({ entries: [] }));
    const oldest = entries.at(-1);
    if (oldest) expect([page, oldest.balance - oldest.amount]).toEqual([page, 1_000]);
  }
  await paying;
  expect((await pageOf(alice, 100)).entries).toHaveLength(80);
});

it('entries are listed though the last one came before the page', async () => {
  const [alice, bob] = await twoAccounts();
  for (const came of [9, 8, 7, 6, 5]) await pay(alice, bob, came, came);
  expect((await pageOf(alice, 1)).entries).toMatchObject([{ amount: -9, balance: 965 }]);
});

it('entries that are booked late, below a page that was read, have the right balances', async () => {
  const [alice, bob] = await twoAccounts();
  for (const came of [1, 9]) await pay(alice, bob, came, came);
  const first = await pageOf(alice, 1);
  expect(lines(first)).toEqual([[-9, 990]]);
  await pay(alice, bob, 5, 5);
  expect(lines(await pageOf(alice, 9, read, first.next))).toEqual([
    [-5, 994],
    [-1, 999],
  ]);
});

it('entries below which nothing can come any more are read without those above', async () => {
  const [alice, bob] = await twoAccounts();
  for (const came of [1, 2, 100_000]) await pay(alice, bob, 1, came);
  const { next } = await pageOf(alice, 2);
  const asked: string[] = [];
  const watched: Reader = { ...read, query: (query) => read.query(query).finally(() => asked.push(query.condition)) };
  expect(lines(await pageOf(alice, 2, watched, next))).toEqual([[-1, 999]]);
  expect(asked.every((condition) => condition.includes('entryUuid < :before'))).toBe(true);
});

it('entries that one index does not list yet are waited for', async () => {
  const [alice, bob] = await twoAccounts();
  await pay(bob, alice, 3, 1);
  await pay(alice, bob, 7, 2);
  const lagging: Reader = {
    ...read,
    query: async (query) => (query.index === 'byCreditor' ? [] : read.query(query)),
  };
  await expect(pageOf(alice, 10, lagging)).rejects.toMatchObject({ code: 'too-many-conflicts' });
});

it('entries far below the newest are not computed from there', async () => {
  const [alice] = await twoAccounts();
  const row = { debitAccount: alice, amount: 1, entryUuid: '00000000-0009-7000-8000-000000000000' };
  const many: Reader = { ...read, query: async ({ limit = 0 }) => Array<typeof row>(limit).fill(row) };
  const after = (await pageOf(alice, 1, { ...many, get: read.get })).next;
  await expect(pageOf(alice, 1, many, after)).rejects.toMatchObject({ code: 'invalid-query' });
});

async function payOften(from: string, to: string): Promise<void> {
  for (let time = 0; time < 20; time++) await pay(from, to, 1, ++transfers);
}
