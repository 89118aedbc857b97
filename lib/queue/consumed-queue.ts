import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '../environment.ts';
import { MESSAGE_ATTRIBUTES } from '../protocol/message.ts';
import { type Attributes, fitAttributes, messageSize, readableAttribute } from '../protocol/message-limits.ts';
import type { ProblemCode } from '../protocol/problems.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { sharedQueueClient } from './queue-client.ts';
import type { QueueMessage } from './queue-message.ts';
import { required } from './required-variable.ts';

/** Why a message will never be applied. */
export interface Rejection {
  readonly eventId: string;
  readonly reason: ProblemCode | 'gap';
  readonly detail: string;
}

/** What a consumer does to its queue, beside acknowledging. */
export interface ConsumedQueue {
  /** Parks a message where people look, with event id and reason (R30). */
  deadLetter(message: QueueMessage, why: Rejection): Promise<void>;
  /** Hides a message for this long from now, so that it is not received for nothing meanwhile (R30). */
  hide(message: QueueMessage, duration: Milliseconds): Promise<void>;
}

/** SQS hides a message for at most twelve hours. */
const LONGEST_HIDDEN_SECONDS = 43_200;
/** Attributes are for one look, and SQS counts them into a message's size. */
const LONGEST_DETAIL = 500;
/** SQS: "Message must be shorter than 262144 bytes." */
const TOO_LONG = /shorter than \d+ bytes/;

/** The queue and its dead-letter queue, by their URLs. */
export function consumedQueue(
  client: SQSClient,
  urls: { readonly queueUrl: string; readonly deadLetterQueueUrl: string },
): ConsumedQueue {
  const parked = (message: QueueMessage, attributes: Attributes) =>
    new SendMessageCommand({
      QueueUrl: urls.deadLetterQueueUrl,
      MessageBody: message.text,
      MessageAttributes: attributes,
      // A FIFO queue's dead letters keep their group; one that is parked twice within five minutes is there once.
      ...(message.group !== undefined && {
        MessageGroupId: message.group,
        MessageDeduplicationId: message.messageId,
      }),
    });
  return {
    async deadLetter(message, why) {
      const attributes = rejectedAttributes(message, why);
      try {
        await client.send(parked(message, fitAttributes(message.text, attributes)));
      } catch (thrown) {
        if (!(thrown instanceof Error && TOO_LONG.test(thrown.message))) throw thrown;
        // These queues take less than SQS can, but what the message came with has fitted into one of them.
        const mostBytes = messageSize(message.text, message.attributes);
        await client.send(parked(message, fitAttributes(message.text, attributes, mostBytes)));
      }
    },
    async hide(message, duration) {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: urls.queueUrl,
          ReceiptHandle: message.receiptHandle,
          VisibilityTimeout: Math.min(LONGEST_HIDDEN_SECONDS, Math.max(1, Math.ceil(duration / 1_000))),
        }),
      );
    },
  };
}

/**
 * The producer's attributes go along with what a redrive and a person need.
 *
 * @rule R30
 */
const rejectedAttributes = ({ attributes }: QueueMessage, { eventId, reason, detail }: Rejection): Attributes => ({
  ...attributes,
  [MESSAGE_ATTRIBUTES.eventId]: readableAttribute(eventId),
  [MESSAGE_ATTRIBUTES.reason]: readableAttribute(reason),
  [MESSAGE_ATTRIBUTES.detail]: readableAttribute(detail.slice(0, LONGEST_DETAIL) || reason),
});

/** The queues that the environment names. @throws Error naming the variable that is not set */
export const environmentQueue = (): ConsumedQueue =>
  consumedQueue(sharedQueueClient(), {
    queueUrl: required(ENVIRONMENT.queueUrl),
    deadLetterQueueUrl: required(ENVIRONMENT.deadLetterQueueUrl),
  });
