import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type QueueMessage, readQueueMessage } from './queue-message.ts';

/** What became of a message: `failed` is delivered again, `done` is not. */
export type Handled = 'done' | 'failed';

export interface Batch {
  /** How many messages (on a FIFO queue: groups) are handled at a time. */
  readonly concurrency: number;
  /** Is there still time to begin with one more message? */
  readonly hasTime: () => boolean;
  readonly handle: (message: QueueMessage) => Promise<Handled>;
}

/**
 * Handles a batch and reports exactly what failed. Messages of a standard queue are handled side by side; on a FIFO
 * queue each group goes in order and stops at its first failure, the rest of it untouched, while other groups go on.
 *
 * @rule R27
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export async function runBatch(event: SQSEvent, batch: Batch): Promise<SQSBatchResponse> {
  const lanes = lanesOf(event.Records.map(readQueueMessage));
  const failed = new Set<string>();
  await boundedly(batch.concurrency, lanes, async (lane) => {
    for (const { messageId } of await runLane(lane, batch)) failed.add(messageId);
  });
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** A lane is what must stay in order: a group, or a single message of a standard queue. */
function lanesOf(messages: readonly QueueMessage[]): readonly (readonly QueueMessage[])[] {
  return [...Map.groupBy(messages, (message) => message.group ?? message).values()];
}

/** Handles one lane in order; what failed and what was not begun after it. */
async function runLane(lane: readonly QueueMessage[], { hasTime, handle }: Batch): Promise<readonly QueueMessage[]> {
  for (const [index, message] of lane.entries()) {
    if (!hasTime() || (await handle(message)) === 'failed') return lane.slice(index);
  }
  return [];
}

/** Runs a task for each element, so many at a time. */
export async function boundedly<Element>(
  concurrency: number,
  elements: readonly Element[],
  task: (element: Element) => Promise<void>,
): Promise<void> {
  const rest = elements.values();
  const worker = async () => {
    for (const element of rest) await task(element);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, elements.length) }, worker));
}

/** Runs a task once the earlier ones of its name have ended, well or badly. */
export type InTurn = (name: string, task: () => Promise<Handled>) => Promise<Handled>;

/** Keeps tasks of one name apart, in the order in which they came; those of other names go on meanwhile. */
export function takingTurns(): InTurn {
  const last = new Map<string, Promise<Handled>>();
  return (name, task) => {
    const turn = last.get(name)?.then(task, task) ?? task();
    last.set(name, turn);
    return turn;
  };
}
