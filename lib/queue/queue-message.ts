import type { SQSRecord } from 'aws-lambda';
import { MESSAGE_ATTRIBUTES } from '../protocol/message.ts';
import type { AttachedValue, Attributes } from '../protocol/message-limits.ts';

/** A delivery as the consumers see it. */
export interface QueueMessage {
  /** The queue's own id: new for each send. */
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly text: string;
  /** The id that the producer attached; undefined where it did not (R26). */
  readonly attachedEventId: string | undefined;
  readonly source: string;
  readonly correlationId: string | undefined;
  /** The group that a FIFO queue keeps in order; undefined on a standard queue. */
  readonly group: string | undefined;
  /** 1 for the first delivery. */
  readonly receiveCount: number;
  /** What the producer attached, in the spelling in which it can be sent again. */
  readonly attributes: Attributes;
}

/** Reads what Lambda hands over of one message. */
export function readQueueMessage(record: SQSRecord): QueueMessage {
  const attached = (name: string) => record.messageAttributes[name]?.stringValue || undefined;
  return {
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    text: record.body,
    attachedEventId: attached(MESSAGE_ATTRIBUTES.eventId),
    source: attached(MESSAGE_ATTRIBUTES.source) ?? '',
    correlationId: attached(MESSAGE_ATTRIBUTES.correlationId),
    // Standard queues take group ids too, for fairness, but keep no order by them.
    group: record.eventSourceARN.endsWith('.fifo') ? record.attributes.MessageGroupId : undefined,
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    attributes: Object.fromEntries(
      Object.entries(record.messageAttributes).map(([name, value]) => [name, again(value)]),
    ),
  };
}

function again({ dataType, stringValue, binaryValue }: SQSRecord['messageAttributes'][string]): AttachedValue {
  if (binaryValue !== undefined) return { DataType: dataType, BinaryValue: Buffer.from(binaryValue, 'base64') };
  return { DataType: dataType, StringValue: stringValue ?? '' };
}
