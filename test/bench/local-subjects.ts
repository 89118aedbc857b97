import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { localApiKey, localSeed } from '../../lib/cli/local-seed.ts';
import { ENVIRONMENT } from '../../lib/environment.ts';
import type { RunningDynamoDb } from '../../lib/local/dynamodb.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent } from '../setup/http-event.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<{ statusCode: number; body: string }>;

/** A Lambda function that moves money, as it would be deployed. */
export interface LocalSubject {
  readonly name: 'naive' | 'powertools' | 'semel';
  readonly handler: Handler;
}

/** DynamoDB Local behind the counting proxy, with tables and subjects that use them. */
export interface LocalBench {
  readonly proxy: CountingProxy;
  /** Straight to DynamoDB Local. */
  readonly store: Store;
  readonly peerTable: string;
  readonly subjects: readonly LocalSubject[];
}

/** Makes the tables, seeds alice and bob, and loads the functions with an environment that names them. */
export async function openLocalBench(dynamodb: RunningDynamoDb): Promise<LocalBench> {
  const proxy = await startCountingProxy(dynamodb.endpoint);
  const store = await freshStore(dynamodb.endpoint);
  const peerTable = `powertools-${store.table}`;
  await store.client.send(new CreateTableCommand(peerTableInput(peerTable)));
  const seeds = localSeed().map(({ Item }) => ({ PutRequest: { Item: { ...Item, ...richly(Item) } } }));
  await store.client.send(new BatchWriteCommand({ RequestItems: { [store.dataTable]: seeds } }));
  Object.assign(process.env, {
    [ENVIRONMENT.idempotencyTable]: store.table,
    [ENVIRONMENT.dataTable]: store.dataTable,
    POWERTOOLS_TABLE: peerTable,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_REGION: 'eu-central-1',
    QUEUE_URL: 'http://127.0.0.1:1/none',
    DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:1/none',
  });
  const [naive, powertools, semel] = await Promise.all([
    import('./functions/naive.ts'),
    import('./functions/powertools.ts'),
    import('../../functions/transfers.ts'),
  ]);
  const subjects: readonly LocalSubject[] = [
    { name: 'naive', handler: naive.handler },
    { name: 'powertools', handler: powertools.handler },
    { name: 'semel', handler: semel.handler },
  ];
  return { proxy, store, peerTable, subjects };
}

/** Enough for every transfer of a run. */
const richly = ({ balance }: { readonly balance?: unknown }) =>
  balance === undefined ? {} : { balance: 1e12, available: 1e12 };

const peerTableInput = (TableName: string) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
});

/** Alice's transfer to bob; hinted: her client says that it is a second attempt. */
export const transferEvent = (key: string, { hinted = false } = {}): APIGatewayProxyEventV2 =>
  httpEvent({
    route: 'POST /transfers',
    headers: {
      authorization: `Bearer ${localApiKey('alice')}`,
      'idempotency-key': key,
      ...(hinted && { 'idempotency-attempt': '2' }),
    },
    body: { from: 'acct_alice', to: 'acct_bob', amount: 5 },
  });
