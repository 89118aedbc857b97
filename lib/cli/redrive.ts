import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { MESSAGE_ATTRIBUTES } from '../protocol/message.ts';
import { type Attributes, fitAttributes, textAttribute } from '../protocol/message-limits.ts';

interface Redrive {
  readonly client: SQSClient;
  readonly from: string;
  readonly to: string;
  /** Told of each message that was sent back. */
  readonly moved: () => void;
}

/** SQS gives at most ten messages at a time. */
const MOST = 10;
/** Seconds: so long what is left is out of the way of what is not. */
const ASIDE = 30;
/** What was said about a message when it was parked is no longer so. */
const NO_LONGER_TRUE: readonly string[] = [MESSAGE_ATTRIBUTES.reason, MESSAGE_ATTRIBUTES.detail];

/**
 * Sends each dead letter to the queue it came from, under a new message id, and deletes it. What is parked meanwhile stays:
 * a message that fails again would go round for ever.
 *
 * Sent and not deleted, as after a crash in between, a message is there twice; its consumer applies it once.
 */
export async function redrive({ client, from, to, moved }: Redrive): Promise<void> {
  const startedAt = Date.now();
  for (;;) {
    const messages = await receive(client, from);
    if (messages.length === 0) return;
    const { old = [], parkedMeanwhile = [] } = Object.groupBy(messages, (message) =>
      Number(message.Attributes?.SentTimestamp) <= startedAt ? 'old' : 'parkedMeanwhile',
    );
    for (const message of old) {
      await client.send(new SendMessageCommand({ QueueUrl: to, ...sentAgain(message) }));
      await client.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }));
      moved();
    }
    for (const { ReceiptHandle } of parkedMeanwhile) {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: from, ReceiptHandle, VisibilityTimeout: ASIDE }),
      );
    }
  }
}

async function receive(client: SQSClient, QueueUrl: string): Promise<readonly Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MOST,
      // Short polling asks only some of SQS's servers: an empty answer would mean little.
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
}

/**
 * A dead letter as it is sent again. Where its producer gave the event no id, the message's own is attached: it was the
 * event's id so far, and without it the event would be a new one.
 *
 * @rule R26
 */
export function sentAgain({ MessageId = '', Body = '', MessageAttributes = {}, Attributes = {} }: Message) {
  const kept = Object.entries(MessageAttributes).filter(([name]) => !NO_LONGER_TRUE.includes(name));
  const attributes = {
    [MESSAGE_ATTRIBUTES.eventId]: textAttribute(MessageId),
    ...(Object.fromEntries(kept) as Attributes),
  };
  return {
    MessageBody: Body,
    MessageAttributes: fitAttributes(Body, attributes),
    ...(Attributes.SequenceNumber !== undefined && {
      MessageGroupId: Attributes.MessageGroupId,
      MessageDeduplicationId: randomUUID(),
    }),
  };
}
