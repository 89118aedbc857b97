import { GetItemCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeptCall, RecordedCall } from './call-log.ts';
import { writeUnits } from './capacity.ts';
import { type AttributeMap, itemSize } from './item-size.ts';

/**
 * Fills in the write units of updates and deletes, from the size that their items have now. Only when somebody asks:
 * reading each item as it is written would make DynamoDB Local, which works on one request at a time, the slower.
 */
export async function sizeWrites(client: DynamoDBDocumentClient, kept: readonly KeptCall[]): Promise<RecordedCall[]> {
  const named = kept.flatMap(({ unsized }) => unsized?.writes ?? []);
  const keys = new Map(
    named.flatMap(({ table, key }) => (key === undefined ? [] : [[nameOf(table, key), { table, key }] as const])),
  );
  const sizes = new Map<string, number>();
  await Promise.all(
    [...keys].map(async ([name, { table, key }]) => {
      sizes.set(name, await sizeNow(client, table, key));
    }),
  );
  return kept.map(({ call, unsized }) =>
    unsized === undefined
      ? call
      : { ...call, writeUnits: writeUnits(unsized, (table, key) => sizes.get(nameOf(table, key))) },
  );
}

const nameOf = (table: string, key: AttributeMap): string => JSON.stringify([table, key]);

/** An item, or a table, that is gone counts as small as one can be. */
async function sizeNow(client: DynamoDBDocumentClient, TableName: string, key: AttributeMap): Promise<number> {
  try {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: key as never, ConsistentRead: true }));
    return itemSize((Item ?? {}) as unknown as AttributeMap);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 0;
    throw error;
  }
}
