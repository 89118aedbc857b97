import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { createEngine } from '../../lib/engine/engine.ts';
import { readRequest } from '../../lib/http/request.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { median } from './percentile.ts';
import { instantLowLevelClient } from './subjects/low-level-client.ts';
import { naiveTransfers } from './subjects/naive.ts';
import { powertoolsTransfers } from './subjects/powertools.ts';
import { semelTransfers } from './subjects/semel.ts';

/** How much CPU one new transfer takes, in microseconds, with nobody to wait for. */
export interface CpuCost {
  readonly subject: string;
  /** The handler alone: the SDK's clients answer at once. */
  readonly handler: number;
  /** With the real SDK, down to the bytes of each request; only the network is missing. */
  readonly withSdk: number;
}

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;

const WARM_UP = 300;
const BATCH = 200;

export async function measureCpu(batches: number): Promise<readonly CpuCost[]> {
  const handler = await timesOf(handlersOver(instantClient(), instantLowLevelClient()), batches);
  const raw = new DynamoDBClient({ region: 'eu-central-1', credentials: NOBODY, requestHandler: CANNED as never });
  const withSdk = await timesOf(handlersOver(DynamoDBDocumentClient.from(raw, REMOVE_UNDEFINED), raw), batches);
  return Object.keys(handler).map((subject) => ({
    subject,
    handler: handler[subject] ?? Number.NaN,
    withSdk: withSdk[subject] ?? Number.NaN,
  }));
}

const NOBODY = { accessKeyId: 'a', secretAccessKey: 'b' };
const REMOVE_UNDEFINED = { marshallOptions: { removeUndefinedValues: true } };

/** Every write succeeds. */
const instantClient = () => ({ send: async () => ({}) }) as unknown as DynamoDBDocumentClient;

/** Answers every HTTP request at once, with nothing in it. */
const CANNED = {
  handle: async () => {
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: { statusCode: 200, headers, body: Buffer.from('{}') } };
  },
};

function handlersOver(client: DynamoDBDocumentClient, raw: DynamoDBClient): Readonly<Record<string, Handler>> {
  const store = { client, dataTable: 'data', caller: 'alice' };
  const layer = new DynamoDBPersistenceLayer({ tableName: 'powertools', awsSdkV3Client: raw });
  const engine = createEngine({ store: { client, table: 'semel', dataTable: 'data' } });
  const semel = semelTransfers(engine);
  return {
    naive: naiveTransfers(store),
    powertools: powertoolsTransfers(store, layer),
    semel: (event, context) => semel(readRequest(event), context),
  };
}

/** The median over batches, each subject's turn after the other's, of CPU time per request. */
async function timesOf(handlers: Readonly<Record<string, Handler>>, batches: number): Promise<Record<string, number>> {
  const times = new Map(Object.keys(handlers).map((name) => [name, [] as number[]]));
  for (const handler of Object.values(handlers)) await run(handler, WARM_UP);
  for (let batch = 0; batch < batches; batch++) {
    for (const [name, handler] of Object.entries(handlers)) {
      const before = process.cpuUsage();
      await run(handler, BATCH);
      const { user, system } = process.cpuUsage(before);
      times.get(name)?.push((user + system) / BATCH);
    }
  }
  return Object.fromEntries([...times].map(([name, taken]) => [name, median(taken)]));
}

let keys = 0;

async function run(handler: Handler, requests: number): Promise<void> {
  const context = lambdaContext();
  for (let request = 0; request < requests; request++) {
    const headers = { 'idempotency-key': `key-${++keys}` };
    const body = { from: 'acct_alice', to: 'acct_bob', amount: 5 };
    await handler(httpEvent({ route: 'POST /transfers', headers, body }), context);
  }
}
