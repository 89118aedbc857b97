import { applySequence } from '../engine/sequence-inbox.ts';
import type { NumberedMessage, SequenceEffect } from '../engine/sequence-run.ts';
import { checkInboxKey } from '../protocol/sequence.ts';
import {
  type ConsumerBase,
  consumerHandler,
  handleThrown,
  type Invocation,
  logFailure,
  logger,
  readMessageBody,
  reject,
} from './consumer.ts';
import { type QueueMessage, readQueueMessage } from './queue-message.ts';
import { boundedly } from './run-batch.ts';

/** What a consumer of numbered messages may be told. */
export interface SequenceConsumer<Body> extends ConsumerBase<Body> {
  /** Whose message it is, and which: senders count from 1. They are told apart within their source. */
  readonly sequence: (body: Body) => { readonly sender: string; readonly seq: number };
  readonly effect: SequenceEffect<Body>;
  /** How many senders are handled at a time. @default 10 */
  readonly concurrency?: number;
}

/** A message that can be read, with its place in its sender's sequence. */
interface Numbered<Body> extends NumberedMessage<Body> {
  readonly message: QueueMessage;
  readonly sender: string;
}

const CONCURRENCY = 10;

/**
 * A Lambda handler that applies each sender's messages in the order of their numbers, each once. What came too early is
 * parked at once, so that the missing one is not stuck behind it.
 *
 * @rule R29
 * @example
 * export const handler = sequenceConsumer({
 *   consumer: 'readings', body: Reading, sequence: ({ meter, seq }) => ({ sender: meter, seq }),
 *   effect: { deltas: ({ used }) => ({ used }) },
 * });
 */
export const sequenceConsumer = <Body>(options: SequenceConsumer<Body>) =>
  consumerHandler(options, async (event, invocation) => {
    const failed = new Set<string>();
    const fail = ({ messageId }: QueueMessage) => failed.add(messageId);
    const numbered = await readAll(options, invocation, event.Records.map(readQueueMessage), fail);
    const runs = Map.groupBy(numbered, ({ message, sender }) => JSON.stringify([message.source, sender]));
    await boundedly(options.concurrency ?? CONCURRENCY, [...runs.values()], (run) =>
      handleRun(options, invocation, run, fail),
    );
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  });

/** Reads each message; what can never be read or noted is parked, and its sender's mark stays before it. */
async function readAll<Body>(
  options: SequenceConsumer<Body>,
  invocation: Invocation,
  messages: readonly QueueMessage[],
  fail: (message: QueueMessage) => void,
): Promise<readonly Numbered<Body>[]> {
  const read: Numbered<Body>[] = [];
  for (const message of messages) {
    try {
      const { value: body } = readMessageBody(options.body, message.text);
      const numbered = options.sequence(body);
      checkInboxKey({ consumer: options.consumer, source: message.source, sender: numbered.sender });
      read.push({ message, body, correlationId: message.correlationId, ...numbered });
    } catch (thrown) {
      const handled = await handleThrown(invocation, message, message.attachedEventId ?? message.messageId, thrown);
      if (handled === 'failed') fail(message);
    }
  }
  return read;
}

async function handleRun<Body>(
  { effect }: SequenceConsumer<Body>,
  invocation: Invocation,
  run: readonly Numbered<Body>[],
  fail: (message: QueueMessage) => void,
): Promise<void> {
  const [first] = run;
  if (first === undefined) return;
  const { engine, consumer, deadline, hasTime } = invocation;
  try {
    if (!hasTime()) throw new Error('There is no time left in this invocation.');
    const of = { consumer, source: first.message.source, sender: first.sender };
    const { endings, refusal } = await applySequence(engine, { ...of, messages: run, effect, deadline });
    for (const [index, { message, seq }] of run.entries()) {
      const ending = endings[index];
      const eventId = message.attachedEventId ?? `${first.sender}:${seq}`;
      if (ending === 'gap')
        await park(invocation, message, { eventId, reason: 'gap', detail: `${seq} came too early.` }, fail);
      else if (ending === 'refused' && refusal !== undefined) {
        const { problem: reason, detail } = refusal;
        await park(invocation, message, { eventId, reason, detail }, fail);
      } else
        logger.info('Consumed', {
          consumer,
          messageId: message.messageId,
          correlationId: message.correlationId,
          outcome: ending,
        });
    }
  } catch (thrown) {
    for (const { message } of run) {
      logFailure(invocation, message, thrown);
      fail(message);
    }
  }
}

async function park(
  invocation: Invocation,
  message: QueueMessage,
  why: Parameters<typeof reject>[2],
  fail: (message: QueueMessage) => void,
): Promise<void> {
  try {
    await reject(invocation, message, why);
  } catch (thrown) {
    logFailure(invocation, message, thrown);
    fail(message);
  }
}
