import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

type Shape = Pick<
  CreateTableCommandInput,
  | 'TableName'
  | 'AttributeDefinitions'
  | 'KeySchema'
  | 'GlobalSecondaryIndexes'
  | 'LocalSecondaryIndexes'
  | 'StreamSpecification'
>;

/** A table to create, taken from the template. */
export interface TableDefinition extends Shape {
  readonly TableName: string;
  readonly timeToLive: string | undefined;
}

/** What the template may say about a table without changing how it behaves here, besides what is read below. */
const WITHOUT_EFFECT_HERE = new Set([
  'BillingMode',
  'ContributorInsightsSpecification',
  'DeletionProtectionEnabled',
  'OnDemandThroughput',
  'PointInTimeRecoverySpecification',
  'ProvisionedThroughput',
  'Replicas',
  'SSESpecification',
  'TableClass',
  'Tags',
  'WarmThroughput',
  'WriteProvisionedThroughputSettings',
]);
const READ_HERE = new Set([
  'AttributeDefinitions',
  'GlobalSecondaryIndexes',
  'KeySchema',
  'LocalSecondaryIndexes',
  'StreamSpecification',
  'TableName',
  'TimeToLiveSpecification',
]);

/**
 * Reads the tables of a stack.
 * @throws SetupError for a property that would change the table's behaviour and is not understood
 */
export const readTables = (stack: StackModel): TableDefinition[] =>
  stack.ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(readTable);

function readTable({ logicalId, identity, properties }: Resource): TableDefinition {
  const unknown = Object.keys(properties).filter((name) => !WITHOUT_EFFECT_HERE.has(name) && !READ_HERE.has(name));
  if (unknown.length > 0) throw new SetupError(`${logicalId}: ${unknown.join(', ')} of a table cannot be run here.`);
  const { timeToLive, ...shape } = {
    ...(properties as Partial<Shape>),
    timeToLive: properties.TimeToLiveSpecification as { AttributeName?: string; Enabled?: boolean } | undefined,
  };
  const stream = properties.StreamSpecification as { StreamViewType: 'NEW_IMAGE' } | undefined;
  return {
    TableName: identity.ref,
    AttributeDefinitions: shape.AttributeDefinitions,
    KeySchema: shape.KeySchema,
    ...(shape.GlobalSecondaryIndexes?.length && {
      GlobalSecondaryIndexes: shape.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
    ...(shape.LocalSecondaryIndexes && { LocalSecondaryIndexes: shape.LocalSecondaryIndexes }),
    ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } }),
    timeToLive: timeToLive?.Enabled ? timeToLive.AttributeName : undefined,
  };
}

/** A client of DynamoDB Local itself, past the proxy: for what the local cloud does, not the functions. */
export const localClient = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'LOCALCLOUD', secretAccessKey: 'local' },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );

/**
 * Creates the tables that are not there yet.
 * @throws SetupError when a table that is there has other keys or indexes, as after a change of the stack
 */
export async function createTables(client: DynamoDBDocumentClient, tables: readonly TableDefinition[]): Promise<void> {
  await Promise.all(tables.map((table) => createTable(client, table)));
}

async function createTable(client: DynamoDBDocumentClient, definition: TableDefinition): Promise<void> {
  const { timeToLive, ...shape } = definition;
  try {
    await client.send(new CreateTableCommand({ ...shape, BillingMode: 'PAY_PER_REQUEST' }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    return refuseOtherShape(client, definition);
  }
  if (timeToLive !== undefined) {
    const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: definition.TableName, TimeToLiveSpecification }));
  }
}

async function refuseOtherShape(client: DynamoDBDocumentClient, definition: TableDefinition): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: definition.TableName }));
  const keys = (table: Shape) => [
    table.KeySchema?.map((key) => `${key.AttributeName} ${key.KeyType}`),
    table.GlobalSecondaryIndexes?.map((index) => index.IndexName).sort() ?? [],
  ];
  if (JSON.stringify(keys(definition)) === JSON.stringify(keys((Table ?? {}) as Shape))) return;
  throw new SetupError(
    `The kept table ${definition.TableName} has other keys or indexes than the stack. Choose another --data-dir, or delete this one.`,
  );
}

/** Deletes tables; those that are gone already are fine. */
export async function deleteTables(client: DynamoDBDocumentClient, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map((TableName) =>
      client.send(new DeleteTableCommand({ TableName })).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }),
    ),
  );
}
