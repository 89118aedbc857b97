import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Where the protocol's items live, and the client that reaches them. */
export interface Store {
  readonly client: DynamoDBDocumentClient;
  /** Semel's own table. */
  readonly table: string;
  /** The table of effects that name none, and of the handlers' reads. */
  readonly dataTable: string;
}
