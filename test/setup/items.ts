import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../lib/protocol/plan.ts';
import type { Store } from '../../lib/store/store.ts';

/** Puts an item into the store's data table. */
export async function putItem(store: Store, item: Item): Promise<void> {
  await store.client.send(new PutCommand({ TableName: store.dataTable, Item: { ...item } }));
}

/** Reads an item of the store's data table. */
export async function readItem(store: Store, key: Item): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: store.dataTable, Key: { ...key }, ConsistentRead: true });
  return (await store.client.send(get)).Item;
}
