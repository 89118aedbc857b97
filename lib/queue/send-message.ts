import { createHash } from 'node:crypto';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { v7 } from 'uuid';
import { ENVIRONMENT } from '../environment.ts';
import { MESSAGE_ATTRIBUTES, type OutgoingMessage } from '../protocol/message.ts';
import { checkEventId, checkMessage, messageText, textAttribute } from '../protocol/message-limits.ts';
import { SemelError } from '../protocol/problems.ts';
import { sharedQueueClient } from './queue-client.ts';
import { required } from './required-variable.ts';

/** Sends one message and answers its queue's id for it. */
export type SendMessage = (message: OutgoingMessage) => Promise<string>;

/**
 * Sends to a queue. A send whose answer is lost is repeated and makes two messages with two ids: the event id in the
 * attributes is what keeps them one event (R26).
 *
 * @default the queue that the environment names
 * @throws SemelError `queue-unavailable` when SQS does not take it, and `internal-error` when it never would
 */
export const messageSender =
  (options: { readonly client?: SQSClient; readonly queueUrl?: string } = {}): SendMessage =>
  async (message) => {
    const { client = sharedQueueClient(), queueUrl = required(ENVIRONMENT.queueUrl) } = options;
    const command = new SendMessageCommand({ QueueUrl: queueUrl, ...sendable(message) });
    try {
      const { MessageId } = await client.send(command);
      return String(MessageId);
    } catch (cause) {
      throw new SemelError('queue-unavailable', 'The queue did not take the message. Send the same request again.', {
        retryAfter: 1_000,
        cause,
      });
    }
  };

/**
 * A message as SendMessage takes it. On a FIFO queue each send gets a deduplication id of its own: SQS would drop a
 * resend within five minutes, and a sender that closes a gap resends on purpose (R29).
 *
 * @rule R26
 * @throws SemelError `internal-error` when SQS would never take it
 */
export function sendable({ body, eventId, source, group, correlationId }: OutgoingMessage) {
  const attributes = {
    [MESSAGE_ATTRIBUTES.eventId]: eventId,
    [MESSAGE_ATTRIBUTES.source]: source,
    [MESSAGE_ATTRIBUTES.correlationId]: correlationId,
  };
  const text = messageText(body);
  if (eventId !== undefined) checkEventId(eventId);
  checkMessage(text, attributes);
  return {
    MessageBody: text,
    // SQS takes no empty attribute values.
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([name, value]) => (value ? [[name, textAttribute(value)]] : [])),
    ),
    ...(group !== undefined && { MessageGroupId: groupId(group), MessageDeduplicationId: v7() }),
  };
}

/** Any text may name a group; SQS takes 128 characters of some kinds. */
const groupId = (group: string): string => createHash('sha256').update(group).digest('base64url');
