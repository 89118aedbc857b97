import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { sequenceConsumer } from '../../lib/queue/sequence-consumer.ts';
import { documentClient } from '../../lib/store/document-client.ts';
import { NumberedMessage } from '../../lib/wallet/sender.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { queueEvent } from '../setup/queue-event.ts';
import type { LocalBench } from './local-subjects.ts';

/** What ten messages of one sender, in order and in one invocation, cost at DynamoDB. */
export interface MessageCost {
  readonly subject: string;
  readonly messages: number;
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

const MESSAGES = 10;

type Consumer = (event: SQSEvent) => Promise<unknown>;

/** Hands every subject a batch of a sender that it knows already. */
export async function measureMessages(bench: LocalBench): Promise<readonly MessageCost[]> {
  const costs: MessageCost[] = [];
  for (const [subject, consume] of Object.entries(await consumersOf(bench))) {
    const sender = randomUUID();
    await consume(batch(sender, 1));
    await bench.proxy.take();
    await consume(batch(sender, 1 + MESSAGES));
    const calls = await bench.proxy.take();
    costs.push({
      ...{ subject, messages: MESSAGES, requests: calls.length },
      writeUnits: calls.reduce((sum, call) => sum + call.writeUnits, 0),
      readUnits: calls.reduce((sum, call) => sum + call.readUnits, 0),
    });
  }
  return costs;
}

function batch(sender: string, from: number): SQSEvent {
  const seqs = Array.from({ length: MESSAGES }, (_, index) => from + index);
  return queueEvent(
    ...seqs.map((seq) => ({ id: `${sender}-${seq}`, group: sender, body: { sender, seq, delta: seq } })),
  );
}

async function consumersOf(bench: LocalBench): Promise<Readonly<Record<string, Consumer>>> {
  const { handler } = await import('../../functions/sender-consumer.ts');
  const folding = sequenceConsumer({
    ...{ consumer: 'folds', body: NumberedMessage },
    sequence: ({ sender, seq }) => ({ sender, seq }),
    effect: { fold: (state, { delta }) => ({ total: Number((state as { total?: number })?.total ?? 0) + delta }) },
  });
  const add = adderOf(bench);
  return {
    naive: async ({ Records }) => {
      for (const record of Records) await add(record);
    },
    powertools: powertoolsConsumer(bench, add),
    'semel, deltas': (event) => handler(event, lambdaContext()),
    'semel, folds': (event) => folding(event, lambdaContext()),
  };
}

/** The peer's way with batches: each record's handler is made idempotent; records of a group run one after the other. */
function powertoolsConsumer({ peerTable }: LocalBench, add: Add): Consumer {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId', lambdaContext: lambdaContext() });
  const layer = new DynamoDBPersistenceLayer({ tableName: peerTable });
  const once = makeIdempotent(add, { persistenceStore: layer, config });
  return async ({ Records }) => {
    for (const record of Records) await once(record);
  };
}

type Add = (record: { readonly body: string }) => Promise<{ readonly added: number }>;

/** The work that a message asks for: add to its sender's total. */
function adderOf({ store, proxy }: LocalBench): Add {
  const client = documentClient({ endpoint: proxy.url, region: 'eu-central-1' });
  return async ({ body }) => {
    const { sender, delta } = JSON.parse(body) as { sender: string; delta: number };
    const update = new UpdateCommand({
      TableName: store.dataTable,
      Key: { pk: `sender#${sender}`, sk: 'sender' },
      UpdateExpression: 'ADD #total :delta',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':delta': delta },
    });
    await client.send(update);
    return { added: delta };
  };
}
