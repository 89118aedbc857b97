/** The function of the tests' small stack: one behaviour per path, with the real SDK. */
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

const client = new DynamoDBClient({ maxAttempts: 3 });
const TableName = process.env.DATA_TABLE_NAME;
let invocations = 0;

const item = (id: string, attempt = 'first') => ({ pk: { S: id }, sk: { S: 'entry' }, attempt: { S: attempt } });

const put = (id: string) =>
  client.send(new PutItemCommand({ TableName, Item: item(id), ConditionExpression: 'attribute_not_exists(pk)' }));

const get = (id: string) => client.send(new GetItemCommand({ TableName, Key: { pk: { S: id }, sk: { S: 'entry' } } }));

const transact = (id: string) =>
  client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: { ...item(id), operationId: { S: `op_${id}` } } } },
        {
          Update: {
            TableName,
            Key: { pk: { S: 'counter' }, sk: { S: 'counter' } },
            UpdateExpression: 'ADD hits :one',
            ExpressionAttributeValues: { ':one': { N: '1' } },
          },
        },
      ],
    }),
  );

type Behaviour = (event: APIGatewayProxyEventV2, context: Context) => unknown;

const behaviours: Record<string, Behaviour> = {
  '/echo': (event, context) => ({ event, context, left: context.getRemainingTimeInMillis(), env: process.env }),
  '/bare': () => 'just text',
  '/cookies': () => ({ statusCode: 200, cookies: ['a=1', 'b=2'], headers: { 'X-Mixed': 'case' } }),
  '/binary': () => ({ statusCode: 200, body: Buffer.from([0, 255]).toString('base64'), isBase64Encoded: true }),
  '/none': () => ({ statusCode: 204 }),
  '/broken': () => ({ statusCode: 'none' }),
  '/throw': () => {
    throw new TypeError('as asked');
  },
  '/exit': () => process.exit(3),
  '/count': () => ({ statusCode: 200, body: String(invocations) }),
  '/print': () => {
    console.log('printed by the function');
    return { statusCode: 200 };
  },
  '/sleep': async (event) => {
    await new Promise((done) => setTimeout(done, Number(event.queryStringParameters?.ms)));
    return { statusCode: 200 };
  },
  '/impatient/put': async (event) => {
    await new Promise((done) => setTimeout(done, 600));
    return put(String(event.queryStringParameters?.id));
  },
  '/die-later': () => {
    setTimeout(() => process.exit(1), 20);
    return { statusCode: 200 };
  },
  '/spin': () => {
    for (;;);
  },
  '/put': (event) => put(String(event.queryStringParameters?.id)),
  '/put-twice': async (event) => {
    await put(`${event.queryStringParameters?.id}-1`);
    await put(`${event.queryStringParameters?.id}-2`);
    return { statusCode: 200 };
  },
  '/transact': async (event) => {
    const id = String(event.queryStringParameters?.id);
    await transact(id);
    return { statusCode: 201, headers: { 'Operation-Id': `op_${id}` } };
  },
  '/get': (event) => get(String(event.queryStringParameters?.id)),
  '/replay': async (event) => {
    const id = String(event.queryStringParameters?.id);
    await get(id);
    return { statusCode: 201, headers: { 'Operation-Id': `op_${id}` } };
  },
  '/scan': () => client.send(new ScanCommand({ TableName })),
  '/query-index': (event) =>
    client.send(
      new QueryCommand({
        TableName,
        IndexName: event.queryStringParameters?.index,
        KeyConditionExpression: 'attempt = :first',
        ExpressionAttributeValues: { ':first': { S: 'first' } },
      }),
    ),
};

export const handler = async (event: APIGatewayProxyEventV2, context: Context): Promise<unknown> => {
  invocations += 1;
  const behaviour = behaviours[event.rawPath];
  if (behaviour === undefined) return { statusCode: 404, body: event.rawPath };
  try {
    return await behaviour(event, context);
  } catch (error) {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    const { message, name } = error;
    return { statusCode: 418, body: JSON.stringify({ ...error, name, message }) };
  }
};
