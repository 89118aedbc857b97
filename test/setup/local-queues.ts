import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { type ConsumedQueue, consumedQueue } from '../../lib/queue/consumed-queue.ts';
import { queueClient } from '../../lib/queue/queue-client.ts';
import { lambdaContext } from './http-event.ts';

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

interface LocalQueueOptions {
  readonly fifo?: boolean;
  readonly visibility?: number;
  readonly maxReceives?: number;
  /** The most bytes that a message may have, in both queues. */
  readonly largest?: number;
}

/** A queue with its dead-letter queue, and what Lambda's poller does with them. */
export class LocalQueue {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly consumed: ConsumedQueue;
  readonly #server: FauxqsServer;
  readonly #name: string;

  constructor(server: FauxqsServer, options: LocalQueueOptions = {}) {
    const { fifo = false, visibility = 30, maxReceives = 3, largest = 1_048_576 } = options;
    const [name, suffix] = [crypto.randomUUID(), fifo ? '.fifo' : ''];
    const kind = { MaximumMessageSize: String(largest), ...(fifo && { FifoQueue: 'true' }) };
    const dead = server.createQueue(`dead-${name}${suffix}`, { attributes: kind });
    const redrive = { deadLetterTargetArn: dead.queueArn, maxReceiveCount: maxReceives };
    const attributes = { ...kind, VisibilityTimeout: String(visibility), RedrivePolicy: JSON.stringify(redrive) };
    this.#server = server;
    this.#name = `${name}${suffix}`;
    this.queueUrl = server.createQueue(this.#name, { attributes }).queueUrl;
    this.deadLetterQueueUrl = dead.queueUrl;
    this.client = queueClient({ endpoint: server.address, region: 'us-east-1' });
    this.consumed = consumedQueue(this.client, this);
  }

  async send(
    body: unknown,
    { attributes = {}, group }: { attributes?: Record<string, string>; group?: string } = {},
    to = this.queueUrl,
  ): Promise<void> {
    await this.client.send(
      new SendMessageCommand({
        QueueUrl: to,
        MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
        ),
        ...(group !== undefined && { MessageGroupId: group, MessageDeduplicationId: crypto.randomUUID() }),
      }),
    );
  }

  /** Receives one batch, invokes the handler and acknowledges what it did not report; `loseAcks` forgets the last part. */
  async invoke(handler: Handler, { batchSize = 10, loseAcks = false, remaining = 10_000 } = {}): Promise<number> {
    const messages = await this.receive(this.queueUrl, batchSize);
    if (messages.length === 0) return 0;
    const arn = `arn:aws:sqs:us-east-1:000000000000:${this.#name}`;
    const event = { Records: messages.map((message) => recordOf(message, arn)) };
    const { batchItemFailures } = await handler(event, lambdaContext(remaining));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { MessageId, ReceiptHandle } of loseAcks ? [] : messages) {
      if (failed.has(MessageId ?? '')) continue;
      await this.client.send(new DeleteMessageCommand({ QueueUrl: this.queueUrl, ReceiptHandle }));
    }
    return messages.length;
  }

  async receive(url: string, batchSize = 10): Promise<readonly Message[]> {
    const { Messages } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: batchSize,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages ?? [];
  }

  /** Sends everything in the dead-letter queue back, as a redrive does: under new message ids. */
  async redrive(): Promise<number> {
    const messages = await this.receive(this.deadLetterQueueUrl);
    for (const { Body, MessageAttributes = {}, ReceiptHandle } of messages) {
      await this.client.send(new SendMessageCommand({ QueueUrl: this.queueUrl, MessageBody: Body, MessageAttributes }));
      await this.client.send(new DeleteMessageCommand({ QueueUrl: this.deadLetterQueueUrl, ReceiptHandle }));
    }
    return messages.length;
  }

  /** What is in flight, and until when it is hidden. */
  get hidden(): readonly { readonly receiveCount: number; readonly until: number }[] {
    const { inflight = [] } = this.#server.inspectQueue(this.#name)?.messages ?? {};
    return inflight.map(({ message, visibilityDeadline }) => ({
      receiveCount: message.approximateReceiveCount,
      until: visibilityDeadline,
    }));
  }

  /** How many messages are in the queue, received or not. */
  get size(): number {
    const messages = this.#server.inspectQueue(this.#name)?.messages;
    return messages === undefined ? 0 : messages.ready.length + messages.delayed.length + messages.inflight.length;
  }
}

export const startQueues = (): Promise<FauxqsServer> => {
  process.env.AWS_ACCESS_KEY_ID ??= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
  return startFauxqs({ port: 0, logger: false });
};

const recordOf = (message: Message, eventSourceARN: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType = 'String', StringValue }]) => [
      name,
      { dataType: DataType, stringValue: StringValue },
    ]),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN,
  awsRegion: 'us-east-1',
});
