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
}

async function pageOf(id: string, limit: number, reader = read): Promise<Page> {
  const reply = await listEntries({ id, caller: 'alice', query: new URLSearchParams({ limit: `${limit}` }) }, reader);
  return (reply as unknown as { body: Page }).body;
}

/** An account of alice's, and somebody to pay. */
async function twoAccounts() {
  const names = [`acct_a-${++transfers}-EUR`, `acct_b-${transfers}-EUR`] as const;
  for (const id of names) {
    const openedBy = { id: 'op', uuid: '0', now: milliseconds(0) };
    const { lastEntry: _, ...item } = accountItem({ id, currency: 'EUR', caller: 'alice', balance: 1_000, openedBy });
    await putItem(store, item);
  }
  return names;
}

/** A transfer whose request came at a time of its own. */
const pay = (from: string, to: string, amount: number, came: number) => {
  const uuid = `${String(came).padStart(8, '0')}-0000-7000-8000-${String(++transfers).padStart(12, '0')}`;
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

async function payOften(from: string, to: string): Promise<void> {
  for (let time = 0; time < 20; time++) await pay(from, to, 1, ++transfers);
}
