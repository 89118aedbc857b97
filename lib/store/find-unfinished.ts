import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Milliseconds } from '../protocol/time.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

/** The sparse index of unfinished leased records, by shard and end of lease. */
export const UNFINISHED_INDEX = 'unfinished';

/** Where a page ended. */
export type PageEnd = Readonly<Record<string, unknown>>;

export type FindOutcome =
  | {
      readonly kind: 'found';
      readonly pks: readonly string[];
      /** Undefined when there is nothing more. */
      readonly end: PageEnd | undefined;
    }
  | Setback;

/**
 * Finds records whose lease ended by a given time, the longest lapsed first. The index follows the table with a delay,
 * so what it says is only where to look.
 *
 * @param after where the page before this one ended
 */
export async function findUnfinished(
  store: Store,
  shard: string,
  endedBy: Milliseconds,
  limit: number,
  signal: AbortSignal,
  after?: PageEnd,
): Promise<FindOutcome> {
  const query = new QueryCommand({
    TableName: store.table,
    IndexName: UNFINISHED_INDEX,
    KeyConditionExpression: 'pendingShard = :shard AND leaseUntil <= :now',
    ExpressionAttributeValues: { ':shard': shard, ':now': endedBy },
    Limit: limit,
    ExclusiveStartKey: after,
  });
  try {
    const { Items = [], LastEvaluatedKey: end } = await store.client.send(query, { abortSignal: signal });
    return { kind: 'found', pks: Items.map(({ pk }) => String(pk)), end };
  } catch (error) {
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
