import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { ConsumedQueue, Rejection } from '../../lib/queue/consumed-queue.ts';
import type { QueueMessage } from '../../lib/queue/queue-message.ts';

/** A message as a test writes it. */
export interface TestMessage {
  readonly id: string;
  readonly body: unknown;
  readonly attributes?: Readonly<Record<string, string>>;
  /** Makes it a message of a FIFO queue. */
  readonly group?: string;
  readonly receiveCount?: number;
}

/** What Lambda hands a consumer of these messages. */
export const queueEvent = (...messages: readonly TestMessage[]): SQSEvent => ({ Records: messages.map(record) });

const record = ({ id, body, attributes = {}, group, receiveCount = 1 }: TestMessage): SQSRecord => ({
  messageId: id,
  receiptHandle: `receipt-${id}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: '0',
    SenderId: 'test',
    ApproximateFirstReceiveTimestamp: '0',
    ...(group !== undefined && { MessageGroupId: group }),
  },
  messageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
  ),
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:test${group === undefined ? '' : '.fifo'}`,
  awsRegion: 'eu-central-1',
});

/** A queue that remembers what a consumer did to it. */
export class RecordingQueue implements ConsumedQueue {
  readonly rejected: (Rejection & { readonly messageId: string })[] = [];
  readonly hidden: { readonly messageId: string; readonly duration: number }[] = [];

  async deadLetter({ messageId }: QueueMessage, why: Rejection): Promise<void> {
    this.rejected.push({ messageId, ...why });
  }

  async hide({ messageId }: QueueMessage, duration: number): Promise<void> {
    this.hidden.push({ messageId, duration });
  }
}

/** The ids of the messages that an answer reports as failed, in order of name. */
export const failedIds = (answer: { batchItemFailures: { itemIdentifier: string }[] }): readonly string[] =>
  answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted();
