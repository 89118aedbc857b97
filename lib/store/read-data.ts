import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../protocol/plan.ts';
import type { Query } from '../protocol/reader.ts';
import { nothingUnderSuchAKey } from './key-too-long.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** What was read from the data table, or a setback. */
export type DataOutcome = { readonly kind: 'read'; readonly items: readonly Item[] } | Setback;

/** Reads one item of the data table, consistently (R4). */
export const readItem = (store: Store, key: Item, signal: AbortSignal): Promise<DataOutcome> =>
  read(async () => {
    const get = new GetCommand({ TableName: store.dataTable, Key: key, ConsistentRead: true });
    const { Item } = await store.client.send(get, { abortSignal: signal }).catch(nothingUnderSuchAKey);
    return Item === undefined ? [] : [Item];
  });

/** Queries the data table; an index cannot be read consistently, the table always is (R4). */
export const queryItems = (store: Store, query: Query, signal: AbortSignal): Promise<DataOutcome> =>
  read(async () => {
    const command = new QueryCommand({
      TableName: store.dataTable,
      IndexName: query.index,
      KeyConditionExpression: query.condition,
      ExpressionAttributeValues: { ...query.values },
      ScanIndexForward: !query.newestFirst,
      Limit: query.limit,
      ConsistentRead: query.index === undefined,
    });
    return (await store.client.send(command, { abortSignal: signal })).Items ?? [];
  });

async function read(send: () => Promise<readonly Item[]>): Promise<DataOutcome> {
  try {
    return { kind: 'read', items: await send() };
  } catch (error) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
