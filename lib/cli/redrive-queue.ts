import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type Input, type Terminal, textOption } from './command.ts';
import { confirm } from './confirm.ts';
import { findQueue, findQueues, queueName, sourcesOf } from './find-queue.ts';
import { progressBar } from './progress-bar.ts';
import { redrive } from './redrive.ts';
import { CommandError } from './usage-error.ts';

/** Finds the queues that were named, says what is about to be done, and does it. */
export async function redriveQueue(input: Input, terminal: Terminal): Promise<void> {
  const queues = findQueues(input);
  const { client } = queues;
  if (queues.isGuess)
    terminal.explain('No local cloud runs from this checkout (npm start), so queues of AWS are meant.');
  const from = await findQueue(queues, input.positionals[0] ?? '');
  const given = textOption(input, 'to');
  const to = given === undefined ? await onlySource(client, from) : await findQueue(queues, given);
  const count = await countOf(client, from);
  if (count === 0) return terminal.explain(`${queueName(from)} is empty (${queues.description}).`);
  terminal.explain(
    `${messages(count)} in ${queueName(from)} will be sent to ${queueName(to)} (${queues.description}).`,
  );
  await confirm(input, 'Send?');
  const moved = await moveAll(client, { from, to, count });
  terminal.explain(`${messages(moved)} sent to ${queueName(to)}.`);
}

async function moveAll(
  client: SQSClient,
  { from, to, count }: { readonly from: string; readonly to: string; readonly count: number },
): Promise<number> {
  const draw = progressBar();
  let done = 0;
  const moved = (): void => {
    done += 1;
    // The count was approximate.
    draw(Math.min(done / count, 0.99), `${done} of ${Math.max(count, done)}`);
  };
  try {
    await redrive({ client, from, to, moved });
  } finally {
    draw(1, '');
  }
  return done;
}

async function onlySource(client: SQSClient, deadLetters: string): Promise<string> {
  const sources = await sourcesOf(client, deadLetters);
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0) return only;
  const found = sources.length === 0 ? 'no queue' : sources.map(queueName).join(' and of ');
  throw new CommandError(
    `${queueName(deadLetters)} is the dead-letter queue of ${found}. Say where to send with --to.`,
  );
}

async function countOf(client: SQSClient, QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

const messages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`;
