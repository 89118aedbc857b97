import { readItems } from '../../lib/local/table-contents.ts';
import { documentClient } from '../../lib/store/document-client.ts';
import type { Acknowledged } from './client.ts';
import type { CloudReady } from './cloud.ts';

type Item = Record<string, unknown>;

/** What the tables say when all is over. */
export interface Audit {
  readonly transfers: number;
  readonly records: number;
  readonly total: number;
  /** Nothing, when every promise was kept. */
  readonly wrong: readonly string[];
}

/** Holds the tables against what clients were told: nothing that was acknowledged is missing, and nothing is there twice. */
export async function audit(
  { dynamodbEndpoint, tableNames }: CloudReady,
  acknowledged: readonly Acknowledged[],
): Promise<Audit> {
  const client = documentClient({ endpoint: dynamodbEndpoint, region: 'eu-central-1' });
  const items = await readItems(client, tableNames.data ?? '');
  const records = await readItems(client, tableNames.idempotency ?? '');
  client.destroy();
  const accounts = items.filter(({ sk }) => sk === 'account');
  const entries = items.filter(({ sk }) => sk === 'entry');
  const transfers = entries.filter(({ kind }) => kind === 'transfer');
  return {
    transfers: transfers.length,
    records: records.length,
    total: sum(accounts, 'balance'),
    wrong: [
      ...compareTransfers(transfers, acknowledged),
      ...accounts.flatMap((account) => checkAccount(account, entries)),
      ...unfinished(records),
      ...when(sum(accounts, 'balance') !== sum(opened(entries), 'amount'), 'money came or went'),
    ],
  };
}

function compareTransfers(transfers: readonly Item[], acknowledged: readonly Acknowledged[]): readonly string[] {
  const byId = new Map(transfers.map((entry) => [entry.id, entry]));
  const told = new Set(acknowledged.map(({ id }) => id));
  return [
    ...when(told.size !== acknowledged.length, 'two requests were told of the same transfer'),
    ...acknowledged.flatMap(({ id, from, to, amount }) => {
      const entry = byId.get(id);
      const same = entry?.debitAccount === from && entry.creditAccount === to && entry.amount === amount;
      return when(!same, `${id} was acknowledged, and is ${entry === undefined ? 'not there' : 'another'}`);
    }),
    ...transfers.flatMap(({ id }) => when(!told.has(String(id)), `${id} is there, and nobody was told of it`)),
  ];
}

/** A balance is what its entries add up to, and nothing is held back. */
function checkAccount({ id, balance, available, room }: Item, entries: readonly Item[]): readonly string[] {
  const came = sum(
    entries.filter(({ creditAccount }) => creditAccount === id),
    'amount',
  );
  const went = sum(
    entries.filter(({ debitAccount }) => debitAccount === id),
    'amount',
  );
  return [
    ...when(came - went !== balance, `${id} holds ${balance}, its entries make ${came - went}`),
    ...when(available !== balance, `${id} has ${available} available of ${balance}`),
    ...when(Number(balance) + Number(room) !== Number.MAX_SAFE_INTEGER, `${id} has room for ${room}`),
    ...when(Number(balance) < 0, `${id} is overdrawn`),
  ];
}

const unfinished = (records: readonly Item[]): readonly string[] =>
  records.flatMap(({ pk, status }) => when(status === 'in_progress', `${pk} is still in progress`));

const opened = (entries: readonly Item[]) => entries.filter(({ kind }) => kind === 'opening');

const sum = (items: readonly Item[], name: string): number =>
  items.reduce((total, item) => total + Number(item[name] ?? 0), 0);

const when = (wrong: boolean, sentence: string): readonly string[] => (wrong ? [sentence] : []);
