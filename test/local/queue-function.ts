/** The functions of the tests' stack with queues: one sends, one consumes and does what its messages say. */
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  GetQueueUrlCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type {
  APIGatewayProxyEventV2,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';

const dynamodb = new DynamoDBClient({ maxAttempts: 3 });
const sqs = new SQSClient({ maxAttempts: 3 });
const TableName = process.env.DATA_TABLE_NAME;

/** What a message tells its consumer to do. */
export interface Order {
  readonly id: string;
  readonly fail?: 'once' | 'always' | 'throw' | 'throw-once' | 'hide';
  /** How long to take over it, in milliseconds. */
  readonly take?: number;
}

const actions: Record<string, (event: APIGatewayProxyEventV2) => Promise<unknown>> = {
  '/send': ({ body }) => sqs.send(new SendMessageCommand(JSON.parse(body ?? '{}'))),
  '/send-batch': ({ body }) => sqs.send(new SendMessageBatchCommand(JSON.parse(body ?? '{}'))),
  '/put': ({ body }) => dynamodb.send(new PutItemCommand({ TableName, Item: JSON.parse(body ?? '{}') })),
  '/queue-url': ({ rawQueryString }) => sqs.send(new GetQueueUrlCommand({ QueueName: rawQueryString })),
  '/environment': async () => process.env,
};

export const handler = async (event: APIGatewayProxyEventV2): Promise<unknown> => {
  try {
    const answer = await actions[event.rawPath]?.(event);
    return { statusCode: 200, body: JSON.stringify(answer) };
  } catch (error) {
    const { name, message } = error as Error;
    return { statusCode: 418, body: JSON.stringify({ name, message }) };
  }
};

export const consume = async (event: SQSEvent): Promise<SQSBatchResponse> => {
  const failed: string[] = [];
  for (const record of event.Records) {
    if (!(await follow(record, event.Records.length))) failed.push(record.messageId);
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};

async function follow(record: SQSRecord, batch: number): Promise<boolean> {
  const order = JSON.parse(record.body) as Order;
  const count = Number(record.attributes.ApproximateReceiveCount);
  const begun = Date.now();
  await new Promise((done) => setTimeout(done, order.take ?? 0));
  await putEntry(`${order.id} ${count}`, {
    begun: { N: String(begun) },
    ended: { N: String(Date.now()) },
    batch: { N: String(batch) },
    record: { S: JSON.stringify(record) },
  });
  if (order.fail === 'throw' || (order.fail === 'throw-once' && count === 1)) throw new Error(`${order.id} as asked`);
  if (order.fail === 'hide') await hide(record);
  return order.fail === undefined || (order.fail === 'once' && count > 1) || order.fail === 'throw-once';
}

const putEntry = (pk: string, attributes: Record<string, AttributeValue>) =>
  dynamodb.send(
    new PutItemCommand({
      TableName,
      Item: { pk: { S: pk }, sk: { S: 'entry' }, begun: { N: String(Date.now()) }, ...attributes },
    }),
  );

const hide = ({ receiptHandle }: SQSRecord) =>
  sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: process.env.QUEUE_URL,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: 600,
    }),
  );

/** Copies what is put into the table, under another sort key, unless the item says to fail. */
export const copy = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const record of event.Records) {
    const { pk, fail } = record.dynamodb?.NewImage ?? {};
    const sequenceNumber = String(record.dynamodb?.SequenceNumber);
    attempts.set(sequenceNumber, (attempts.get(sequenceNumber) ?? 0) + 1);
    if (fail?.S === 'throw') throw new Error(`${pk?.S} as asked`);
    if (fail?.S === 'always' || (fail?.S === 'once' && attempts.get(sequenceNumber) === 1)) {
      return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };
    }
    await putEntry(`copy of ${pk?.S}`, {
      batch: { N: String(event.Records.length) },
      record: { S: JSON.stringify(record) },
    });
  }
  return { batchItemFailures: [] };
};

const attempts = new Map<string, number>();
