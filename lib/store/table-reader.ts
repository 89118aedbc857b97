import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Query, Reader } from '../protocol/reader.ts';
import { readSetback } from './setback.ts';
import type { Store } from './store.ts';

/**
 * A Reader of the store's data table; an index cannot be read consistently, the table always is (R4).
 *
 * @throws SemelError `store-unavailable` when a read does not go through (R21)
 */
export const tableReader = (store: Store, signal: AbortSignal): Reader => ({
  get: (key: Item) =>
    available(async () => {
      const get = new GetCommand({ TableName: store.dataTable, Key: key, ConsistentRead: true });
      const read = store.client.send(get, { abortSignal: signal });
      return (await read.catch(nothingUnderSuchAKey)).Item;
    }),
  query: (query: Query) =>
    available(async () => {
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
    }),
});

/** A key that is longer than any key may be comes from outside, out of a path; DynamoDB refuses it, and it leads nowhere. */
function nothingUnderSuchAKey(error: unknown): { Item?: Item } {
  if (error instanceof Error && error.name === 'ValidationException' && KEY_TOO_LONG.test(error.message)) return {};
  throw error;
}

/** DynamoDB: "Size of hashkey has exceeded the maximum size limit of2048 bytes"; DynamoDB Local says it in other words. */
const KEY_TOO_LONG = /(2048|1024) bytes/;

async function available<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (readSetback(error) === undefined) throw error;
    throw new SemelError('store-unavailable', 'The store did not answer. Send the same request again.', {
      retryAfter: 1_000,
      cause: error,
    });
  }
}
