import type { QueueDefinition, RunningQueues } from './queues.ts';

/** A message that was given up, as `GET /_local/state` shows it. */
export interface DeadLetter {
  readonly queue: string;
  /** What the message itself says, else the queue's id for it. */
  readonly eventId: string;
  readonly reason: string;
}

/** What consumers attach to a message that they park. */
const EVENT_ID = 'Semel-Event-Id';
const REASON = 'Semel-Reason';
/** The queue itself says nothing. */
const RECEIVED_TOO_OFTEN = 'received too often';

/** What lies in the dead-letter queues: those that other queues name as theirs. */
export function deadLetters(definitions: readonly QueueDefinition[], queues: RunningQueues): DeadLetter[] {
  const arns = new Set(definitions.map(({ deadLetterArn }) => deadLetterArn));
  return definitions.filter(({ arn }) => arns.has(arn)).flatMap(({ name }) => deadLettersIn(name, queues));
}

function deadLettersIn(queue: string, queues: RunningQueues): DeadLetter[] {
  const { ready, delayed, inflight } = queues.contents(queue);
  return [...ready, ...delayed, ...inflight.map(({ message }) => message)].map(({ messageId, messageAttributes }) => ({
    queue,
    eventId: messageAttributes[EVENT_ID]?.StringValue ?? messageId,
    reason: messageAttributes[REASON]?.StringValue ?? RECEIVED_TOO_OFTEN,
  }));
}
