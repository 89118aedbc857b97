import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { TableDefinition } from './tables.ts';

type Item = Record<string, unknown>;

/** The most requests that one BatchWriteItem takes. */
const BATCH = 25;

/** All items of a table, read consistently. */
export async function readItems(client: DynamoDBDocumentClient, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  return items;
}

/** Deletes all items but keeps the table, so that functions which run meanwhile find it. */
export async function emptyTable(
  client: DynamoDBDocumentClient,
  { TableName, KeySchema }: TableDefinition,
): Promise<void> {
  const names = (KeySchema ?? []).map(({ AttributeName }) => String(AttributeName));
  const items = await readItems(client, TableName);
  for (let start = 0; start < items.length; start += BATCH) {
    let requests = items.slice(start, start + BATCH).map((item) => ({
      DeleteRequest: { Key: Object.fromEntries(names.map((name) => [name, item[name]])) },
    }));
    while (requests.length > 0) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
      );
      requests = (UnprocessedItems?.[TableName] ?? []) as typeof requests;
    }
  }
}

/** Writes an item unless one with its key is there: kept data is not overwritten by the seed. */
export async function putIfAbsent(client: DynamoDBDocumentClient, TableName: string, Item: Item): Promise<void> {
  try {
    await client.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
