import { join } from 'node:path';
import { ChangeMessageVisibilityCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

/** A queue to create, taken from the template. */
export interface QueueDefinition {
  readonly name: string;
  readonly arn: string;
  readonly fifo: boolean;
  /** For how many seconds a received message is hidden. */
  readonly visibility: number;
  /** As CreateQueue takes them: all of them texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The ARN of the queue that takes what was received too often. */
  readonly deadLetterArn: string | undefined;
}

/** How many messages a queue holds. */
export interface QueueState {
  readonly name: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** The queues of the stack while they run. */
export interface RunningQueues {
  /** Where they answer, past the proxy. */
  readonly endpoint: string;
  /** A client past the proxy: for what the local cloud does, not the functions. */
  readonly client: SQSClient;
  readonly state: () => QueueState[];
  /** What a queue holds. */
  readonly contents: (name: string) => QueueContents;
  /** Empties all queues; they forget which messages they have seen, too. */
  readonly reset: () => void;
  readonly stop: () => Promise<void>;
}

type QueueContents = NonNullable<ReturnType<FauxqsServer['inspectQueue']>>['messages'];

const DEFAULT_VISIBILITY = 30;
/** What the emulator is told as it stands. */
const ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DelaySeconds',
  'FifoQueue',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
];
/** What the template may say about a queue without changing how it behaves here. */
const WITHOUT_EFFECT_HERE = [
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'QueueName',
  'RedriveAllowPolicy',
  'SqsManagedSseEnabled',
  'Tags',
];

/**
 * Reads the queues of a stack.
 * @throws SetupError for a property that would change a queue's behaviour and is not understood
 */
export const readQueues = (stack: StackModel): QueueDefinition[] => stack.ofType('AWS::SQS::Queue').map(readQueue);

function readQueue({ logicalId, identity, properties }: Resource): QueueDefinition {
  const understood = [...ATTRIBUTES, ...WITHOUT_EFFECT_HERE];
  const unknown = Object.keys(properties).filter((name) => !understood.includes(name));
  if (unknown.length > 0) throw new SetupError(`${logicalId}: ${unknown.join(', ')} of a queue cannot be run here.`);
  const told = ATTRIBUTES.filter((name) => properties[name] !== undefined);
  const redrive = properties.RedrivePolicy as { deadLetterTargetArn?: unknown } | undefined;
  return {
    name: identity.ref.replace(/^.*\//, ''),
    arn: String(identity.attributes.Arn),
    fifo: properties.FifoQueue === true,
    visibility: Number(properties.VisibilityTimeout ?? DEFAULT_VISIBILITY),
    attributes: Object.fromEntries(told.map((name) => [name, asText(properties[name])])),
    deadLetterArn: redrive === undefined ? undefined : String(redrive.deadLetterTargetArn),
  };
}

const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/**
 * Runs the queues on an emulator in this process; undefined for a stack without queues.
 *
 * Unlike SQS, it hands out one message of a FIFO group at a time, and keeps messages past their retention.
 */
export async function startQueues(
  definitions: readonly QueueDefinition[],
  { region, dataDir }: { readonly region: string; readonly dataDir?: string | undefined },
): Promise<RunningQueues | undefined> {
  if (definitions.length === 0) return undefined;
  // Loaded only for stacks that have queues: it brings a web server and takes a while.
  const { startFauxqs } = await import('fauxqs');
  const kept = dataDir === undefined ? {} : { dataDir: join(dataDir, 'queues') };
  const server = await startFauxqs({ port: 0, logger: false, defaultRegion: region, ...kept });
  const client = localQueueClient(server.address, region);
  await createQueues(server, client, definitions);
  return {
    endpoint: server.address,
    client,
    state: () => definitions.map(({ name }) => ({ name, ...countOf(contentsOf(server, name)) })),
    contents: (name) => contentsOf(server, name),
    reset: () => {
      for (const { name, attributes } of definitions) {
        server.deleteQueue(name);
        server.createQueue(name, { attributes: { ...attributes } });
      }
    },
    stop: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

const NO_MESSAGES: QueueContents = { ready: [], delayed: [], inflight: [] };

const contentsOf = (server: FauxqsServer, name: string): QueueContents =>
  server.inspectQueue(name)?.messages ?? NO_MESSAGES;

const countOf = ({ ready, inflight, delayed }: QueueContents) => ({
  visible: ready.length,
  inFlight: inflight.length,
  delayed: delayed.length,
});

const localQueueClient = (endpoint: string, region: string): SQSClient =>
  new SQSClient({ endpoint, region, credentials: { accessKeyId: 'LOCALCLOUD', secretAccessKey: 'local' } });

async function createQueues(
  server: FauxqsServer,
  client: SQSClient,
  definitions: readonly QueueDefinition[],
): Promise<void> {
  for (const { name, attributes } of definitions) {
    const kept = server.inspectQueue(name);
    if (kept === undefined) server.createQueue(name, { attributes: { ...attributes } });
    else await resume(client, name, attributes, kept.messages);
  }
}

/**
 * Hides a received message for this many milliseconds from now.
 *
 * The emulator takes fractions of seconds. It is not told 0: with data that is kept, that would lose the message.
 */
export const hiddenFor = (QueueUrl: string, ReceiptHandle: string | undefined, milliseconds: number) =>
  new ChangeMessageVisibilityCommand({
    ...{ QueueUrl, ReceiptHandle },
    VisibilityTimeout: Math.max(1, milliseconds) / 1000,
  });

/** The stack may have changed since, and whoever had received messages is gone with the process that ran before. */
async function resume(
  client: SQSClient,
  QueueUrl: string,
  { FifoQueue: _, ...Attributes }: QueueDefinition['attributes'],
  { inflight }: QueueContents,
): Promise<void> {
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  for (const { receiptHandle: ReceiptHandle } of inflight) {
    await client.send(hiddenFor(QueueUrl, ReceiptHandle, 0));
  }
}
