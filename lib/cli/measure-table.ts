import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { itemSize } from '../protocol/item-size.ts';
import type { Item } from '../protocol/plan.ts';
import type { FoundTable } from './find-table.ts';

/** What a running table holds, judged by a sample. */
export interface Measured {
  /** As DynamoDB counts them, about every six hours; the sample's own number where it saw everything. */
  readonly liveItems: number;
  readonly sampled: number;
  /** The parts of the sample by kind: `record`, `message`, `inbox`, `outbox`. */
  readonly kinds: Readonly<Record<string, Kind>>;
  /** The parts of the records by operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** For how many days completed records are kept, on average; undefined when there were none. */
  readonly retentionDays: number | undefined;
}

interface Kind {
  readonly share: number;
  /** On average. */
  readonly bytes: number;
}

/** Enough for an average, and little to read: the keys are hashes, so any stretch of the table is a fair sample. */
const SAMPLE = 2_000;
const PAGE = 500;
const KINDS: readonly (readonly [prefix: string, kind: string])[] = [
  ['key#', 'record'],
  ['msg#', 'message'],
  ['inbox#', 'inbox'],
  ['outbox#', 'outbox'],
];

/** Samples Semel's table. */
export async function measureTable({ client, table }: FoundTable): Promise<Measured> {
  const { items, complete } = await sample({ client, table });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return { ...summarize(items), liveItems: complete ? items.length : (Table?.ItemCount ?? items.length) };
}

async function sample({ client, table }: Pick<FoundTable, 'client' | 'table'>) {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = new ScanCommand({ TableName: table, Limit: PAGE, ExclusiveStartKey: from && { ...from } });
    const { Items = [], LastEvaluatedKey } = await client.send(page);
    items.push(...Items);
    from = LastEvaluatedKey;
  } while (from !== undefined && items.length < SAMPLE);
  return { items, complete: from === undefined };
}

/** @example summarize([{ pk: 'key#a', operation: 'pay' }]).kinds.record.share // 1 */
export function summarize(items: readonly Item[]): Omit<Measured, 'liveItems'> {
  const kinds = Object.groupBy(items, kindOf);
  const operations = Object.groupBy(kinds.record ?? [], ({ operation }) => String(operation));
  const retentions = (kinds.record ?? []).flatMap(daysKept);
  return {
    sampled: items.length,
    kinds: mapValues(kinds, (some) => ({ share: some.length / items.length, bytes: average(some.map(itemSize)) })),
    operations: mapValues(operations, (some) => some.length / (kinds.record?.length ?? 1)),
    retentionDays: retentions.length === 0 ? undefined : average(retentions),
  };
}

const kindOf = ({ pk }: Item): string => KINDS.find(([prefix]) => String(pk).startsWith(prefix))?.[1] ?? 'other';

const daysKept = ({ completedAt, expiresAt }: Item): number[] =>
  typeof completedAt === 'number' && typeof expiresAt === 'number' ? [(expiresAt - completedAt / 1_000) / 86_400] : [];

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const mapValues = <From, To>(
  from: Readonly<Partial<Record<string, From>>>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(from).flatMap(([name, value]) => (value ? [[name, change(value)]] : [])));
