import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Invoke } from './background.ts';
import type { Blueprint } from './blueprint.ts';
import type { EventSource, QueueSource, StreamSource } from './event-sources.ts';
import type { FunctionDefinition } from './functions.ts';
import { isAllowed } from './iam.ts';
import { QueuePoller } from './queue-poller.ts';
import type { QueueDefinition, RunningQueues } from './queues.ts';
import { SetupError } from './setup-error.ts';
import { StreamPoller } from './stream-poller.ts';
import { TableStream } from './table-stream.ts';

interface Surroundings {
  readonly dynamodbEndpoint: string;
  readonly client: DynamoDBDocumentClient;
  readonly queues: RunningQueues | undefined;
  readonly invoke: Invoke;
  readonly redeliverAfter: number | undefined;
  readonly log: (line: string) => void;
}

/** What brings the functions their events, while it runs. */
export interface RunningSources {
  /** Does something while no function is at work on a batch; events from before it are lost. */
  paused(work: () => Promise<void>): Promise<void>;
  stop(): void;
}

/** A stream has no redelivery that could be left to it. Milliseconds. */
const STREAM_RETRY = 1_000;

/**
 * Starts what polls queues and streams for the functions.
 * @throws SetupError for what AWS would refuse at deployment
 */
export async function runEventSources(blueprint: Blueprint, surroundings: Surroundings): Promise<RunningSources> {
  for (const source of blueprint.eventSources) refuseWhatAwsRefuses(source, blueprint);
  const pollers = await Promise.all(
    blueprint.eventSources.map((source) =>
      source.kind === 'queue'
        ? pollQueue(source, queueOf(source, blueprint), surroundings)
        : pollStream(source, surroundings),
    ),
  );
  return {
    paused: async (work) => {
      await Promise.all(pollers.map((poller) => poller.pause()));
      try {
        await work();
      } finally {
        await Promise.all(pollers.map((poller) => poller.resume()));
      }
    },
    stop: () => {
      for (const poller of pollers) poller.stop();
    },
  };
}

function pollQueue(source: QueueSource, { visibility }: QueueDefinition, surroundings: Surroundings): QueuePoller {
  const { queues, ...rest } = surroundings;
  if (queues === undefined) throw new Error(`${source.name}: its queue does not run.`);
  return new QueuePoller({ source, queues, visibility, ...rest });
}

async function pollStream(
  source: StreamSource,
  { dynamodbEndpoint, client, ...rest }: Surroundings,
): Promise<StreamPoller> {
  const at = { endpoint: dynamodbEndpoint, client, position: source.startAt };
  const stream = await TableStream.open(source.table, at);
  return new StreamPoller({ source, stream, retryAfter: rest.redeliverAfter ?? STREAM_RETRY, ...rest });
}

/** What Lambda does with a source in its function's name. */
const NEEDED = {
  queue: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  stream: ['dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:DescribeStream'],
};

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function refuseWhatAwsRefuses(source: EventSource, blueprint: Blueprint): void {
  const { name, functionArn, sourceArn } = source;
  const target = blueprint.functions.find(({ arn }) => arn === functionArn);
  if (target === undefined) throw new SetupError(`${name}: ${functionArn} is not part of the stack.`);
  if (source.kind === 'queue') refuseShortVisibility(source, queueOf(source, blueprint), target);
  else refuseAbsentStream(source, blueprint);
  const statements = blueprint.policies.get(target.roleArn) ?? [];
  const missing = NEEDED[source.kind].find((action) => !isAllowed(statements, action, sourceArn));
  if (missing !== undefined) throw new SetupError(`${name}: the role of ${target.name} does not allow ${missing}.`);
}

function refuseShortVisibility(
  { name }: QueueSource,
  { visibility }: QueueDefinition,
  { timeout }: FunctionDefinition,
): void {
  if (visibility * 1000 >= timeout) return;
  throw new SetupError(
    `${name}: the queue hides a message for ${visibility} s, and its function may take ${timeout / 1000} s.`,
  );
}

function refuseAbsentStream({ name, table, failureQueue }: StreamSource, { tables, queues }: Blueprint): void {
  if (!tables.some(({ TableName, StreamSpecification }) => TableName === table && StreamSpecification !== undefined)) {
    throw new SetupError(`${name}: the stack has no table ${table} with a stream.`);
  }
  if (failureQueue !== undefined && !queues.some((queue) => queue.name === failureQueue)) {
    throw new SetupError(`${name}: the queue ${failureQueue} is not part of the stack.`);
  }
}

function queueOf({ name, queue }: QueueSource, { queues }: Blueprint): QueueDefinition {
  const definition = queues.find((candidate) => candidate.name === queue);
  if (definition === undefined) throw new SetupError(`${name}: the queue ${queue} is not part of the stack.`);
  return definition;
}
