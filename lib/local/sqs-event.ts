import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSMessageAttributes, SQSRecord } from 'aws-lambda';

/** The event in which a function gets a batch of messages. @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const sqsEvent = (messages: readonly Message[], eventSourceARN: string): SQSEvent => ({
  Records: messages.map((message) => sqsRecord(message, eventSourceARN)),
});

/** One message of a batch. */
export const sqsRecord = (message: Message, eventSourceARN: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: attributesOf(message.MessageAttributes),
  ...(message.MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN,
  awsRegion: eventSourceARN.split(':')[3] ?? '',
});

const attributesOf = (attributes: Message['MessageAttributes'] = {}): SQSMessageAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType ?? 'String',
      },
    ]),
  );
