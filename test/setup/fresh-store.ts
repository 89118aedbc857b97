import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { documentClient } from '../../lib/store/document-client.ts';
import type { Store } from '../../lib/store/store.ts';

/** A store of its own for one test file: both tables new and empty, on the DynamoDB Local that all tests share. */
export async function freshStore(endpoint = inject('dynamodb')): Promise<Store> {
  process.env.AWS_ACCESS_KEY_ID ??= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
  const client = documentClient({ endpoint, region: 'eu-central-1' });
  const name = randomUUID();
  const store = { client, table: `semel-${name}`, dataTable: `data-${name}` };
  // Without the store's timeouts: making a table takes long on a busy machine, and sent again it exists already.
  const patient = new DynamoDBClient({ endpoint, region: 'eu-central-1' });
  await patient.send(new CreateTableCommand(idempotencyTable(store.table)));
  await patient.send(new CreateTableCommand(dataTable(store.dataTable)));
  patient.destroy();
  return store;
}

const idempotencyTable = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'pendingShard', AttributeType: 'S' },
    { AttributeName: 'leaseUntil', AttributeType: 'N' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [index('unfinished', 'pendingShard', 'leaseUntil')],
});

const dataTable = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'debitAccount', 'creditAccount', 'entryUuid'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    index('byDebtor', 'debitAccount', 'entryUuid'),
    index('byCreditor', 'creditAccount', 'entryUuid'),
  ],
});

const index = (IndexName: string, hash: string, range: string) => ({
  IndexName,
  KeySchema: [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ],
  Projection: { ProjectionType: 'ALL' as const },
});
