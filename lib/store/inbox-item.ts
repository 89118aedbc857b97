import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { INBOX_VERSION, type Inbox } from '../protocol/inbox.ts';
import type { Item } from '../protocol/plan.ts';
import { nothingUnderSuchAKey } from './key-too-long.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

const SUM_PREFIX = 'sum#';

/** Each sum is an attribute of its own: adding to one inside a map would need the map to be there. */
export const sumAttribute = (name: string): string => SUM_PREFIX + name;

/**
 * Reads an inbox from its item.
 *
 * @throws Error when the item was written by a newer version
 */
export function readInboxItem(item: Item): Inbox {
  if (!(Number(item.schemaVersion) <= INBOX_VERSION)) {
    throw new Error(`Item ${item.pk} has schemaVersion ${item.schemaVersion}; this code reads up to ${INBOX_VERSION}.`);
  }
  const sums = Object.entries(item).filter(([name]) => name.startsWith(SUM_PREFIX));
  return {
    ...(item as unknown as Inbox),
    sums: Object.fromEntries(sums.map(([name, value]) => [name.slice(SUM_PREFIX.length), Number(value)])),
  };
}

export type InboxRead = { readonly kind: 'read'; readonly inbox: Inbox | undefined } | Setback;

/** Reads a sender's inbox consistently. */
export async function readInbox(store: Store, key: { readonly pk: string }, signal: AbortSignal): Promise<InboxRead> {
  try {
    const get = new GetCommand({ TableName: store.table, Key: key, ConsistentRead: true });
    const { Item } = await store.client.send(get, { abortSignal: signal }).catch(nothingUnderSuchAKey);
    return { kind: 'read', inbox: Item && readInboxItem(Item) };
  } catch (error) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
