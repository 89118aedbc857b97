import type { Item } from './plan.ts';

/** A query on the endpoint's data table or one of its indexes. */
export interface Query {
  readonly index?: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** What a handler may do to DynamoDB: read. Reads are consistent where the source allows it (R4). */
export interface Reader {
  get(key: Item): Promise<Item | undefined>;
  query(query: Query): Promise<readonly Item[]>;
}
