import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '../environment.ts';
import { MESSAGE_ATTRIBUTES } from '../protocol/message.ts';
import type { ProblemCode } from '../protocol/problems.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { sharedQueueClient } from './queue-client.ts';
import { type AttachedValue, type QueueMessage, textAttribute } from './queue-message.ts';
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

/** SQS takes at most ten attributes with a message. */
const MOST_ATTRIBUTES = 10;
/** SQS hides a message for at most twelve hours. */
const LONGEST_HIDDEN_SECONDS = 43_200;
/** Attributes are for one look, and SQS counts them into a message's size. */
const LONGEST_DETAIL = 500;

/** The queue and its dead-letter queue, by their URLs. */
export function consumedQueue(
  client: SQSClient,
  urls: { readonly queueUrl: string; readonly deadLetterQueueUrl: string },
): ConsumedQueue {
  return {
    async deadLetter(message, why) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urls.deadLetterQueueUrl,
          MessageBody: message.text,
          MessageAttributes: rejectedAttributes(message, why),
          // A FIFO queue's dead letters keep their group; one that is parked twice within five minutes is there once.
          ...(message.group !== undefined && {
            MessageGroupId: message.group,
            MessageDeduplicationId: message.messageId,
          }),
        }),
      );
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
 * The producer's attributes go along; event id and reason come first, since they are what a redrive and a person need.
 *
 * @rule R30
 */
function rejectedAttributes({ attributes }: QueueMessage, { eventId, reason, detail }: Rejection) {
  const ours = {
    [MESSAGE_ATTRIBUTES.eventId]: textAttribute(eventId),
    [MESSAGE_ATTRIBUTES.reason]: textAttribute(reason),
    [MESSAGE_ATTRIBUTES.detail]: textAttribute(detail.slice(0, LONGEST_DETAIL) || reason),
  };
  const theirs = Object.entries(attributes).filter(([name]) => !Object.hasOwn(ours, name));
  return Object.fromEntries([...Object.entries<AttachedValue>(ours), ...theirs].slice(0, MOST_ATTRIBUTES));
}

/** The queues that the environment names. @throws Error naming the variable that is not set */
export const environmentQueue = (): ConsumedQueue =>
  consumedQueue(sharedQueueClient(), {
    queueUrl: required(ENVIRONMENT.queueUrl),
    deadLetterQueueUrl: required(ENVIRONMENT.deadLetterQueueUrl),
  });
