import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { UNFINISHED_INDEX } from './find-unfinished.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

export type CountOutcome = { readonly kind: 'counted'; readonly count: number } | Setback;

/** Counts a shard of the index, up to the 1 MB that one query reads: some thousand entries. */
export async function countListed(store: Store, shard: string, signal: AbortSignal): Promise<CountOutcome> {
  const query = new QueryCommand({
    TableName: store.table,
    IndexName: UNFINISHED_INDEX,
    KeyConditionExpression: 'pendingShard = :shard',
    ExpressionAttributeValues: { ':shard': shard },
    Select: 'COUNT',
  });
  try {
    const { Count = 0 } = await store.client.send(query, { abortSignal: signal });
    return { kind: 'counted', count: Count };
  } catch (error) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
