import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { OutboxItem } from '../protocol/outbox.ts';
import type { Item } from '../protocol/plan.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

const OUTBOX_VERSION = 1;

/**
 * Reads an event that waits to be sent from its item.
 *
 * @throws Error when the item was written by a newer version
 */
export function readOutboxItem(item: Item): OutboxItem {
  if (!(Number(item.schemaVersion) <= OUTBOX_VERSION)) {
    throw new Error(
      `Item ${item.pk} has schemaVersion ${item.schemaVersion}; this code reads up to ${OUTBOX_VERSION}.`,
    );
  }
  return item as unknown as OutboxItem;
}

export type OutboxRead = { readonly kind: 'read'; readonly item: OutboxItem | undefined } | Setback;

/** Reads a waiting event consistently; undefined when it was sent meanwhile. */
export async function getOutboxItem(store: Store, pk: string, signal: AbortSignal): Promise<OutboxRead> {
  try {
    const get = new GetCommand({ TableName: store.table, Key: { pk }, ConsistentRead: true });
    const { Item } = await store.client.send(get, { abortSignal: signal });
    return { kind: 'read', item: Item && readOutboxItem(Item) };
  } catch (error) {
    return setbackOf(error);
  }
}

/** Deletes an event that was sent; that it is gone already is as good. */
export async function deleteOutboxItem(
  store: Store,
  pk: string,
  signal: AbortSignal,
): Promise<{ readonly kind: 'deleted' } | Setback> {
  try {
    await store.client.send(new DeleteCommand({ TableName: store.table, Key: { pk } }), { abortSignal: signal });
    return { kind: 'deleted' };
  } catch (error) {
    return setbackOf(error);
  }
}

function setbackOf(error: unknown): Setback {
  const setback = readSetback(error);
  if (setback === undefined) throw error;
  return setback;
}
