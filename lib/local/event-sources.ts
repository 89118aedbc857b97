import { type EventFilter, readFilter } from './event-filter.ts';
import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

interface AnySource {
  /** The mapping's logical id. */
  readonly name: string;
  readonly sourceArn: string;
  readonly functionArn: string;
  readonly batchSize: number;
  /** How long a batch is gathered, in milliseconds. */
  readonly window: number;
  readonly filter: EventFilter;
  /** Does the function report which records of a batch failed? */
  readonly reportsFailures: boolean;
}

/** A queue whose messages go to a function. */
export interface QueueSource extends AnySource {
  readonly kind: 'queue';
  readonly queue: string;
  /** How many batches may be handled at once; undefined where the stack sets no limit. */
  readonly maxConcurrency: number | undefined;
}

/** A table whose changes go to a function. */
export interface StreamSource extends AnySource {
  readonly kind: 'stream';
  readonly table: string;
  readonly startAt: 'TRIM_HORIZON' | 'LATEST';
  /** How often a failed batch is tried again before it is given up; Infinity: until it works. */
  readonly maxRetries: number;
  readonly bisects: boolean;
  /** The name of the queue that learns of batches that were given up. */
  readonly failureQueue: string | undefined;
}

export type EventSource = QueueSource | StreamSource;

const COMMON = [
  'BatchSize',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'Tags',
];
const OF_QUEUES = ['ScalingConfig'];
const OF_STREAMS = [
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  // A stream of DynamoDB Local has one shard, and its records are gone with it.
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
];

/**
 * Reads the event source mappings of a stack, but those that are switched off.
 * @throws SetupError for a source other than a queue or a table's stream, or a property that is not understood
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html
 */
export const readEventSources = (stack: StackModel): EventSource[] =>
  stack
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false)
    .map((resource) => readEventSource(resource, stack));

function readEventSource(resource: Resource, { place }: StackModel): EventSource {
  const { logicalId, properties } = resource;
  const sourceArn = String(properties.EventSourceArn);
  const [, , service] = sourceArn.split(':');
  const target = String(properties.FunctionName);
  const source = {
    name: logicalId,
    sourceArn,
    functionArn: target.startsWith('arn:')
      ? target
      : `arn:aws:lambda:${place.region}:${place.account}:function:${target}`,
    window: Number(properties.MaximumBatchingWindowInSeconds ?? 0) * 1000,
    filter: readFilter(logicalId, properties.FilterCriteria),
    reportsFailures: [properties.FunctionResponseTypes].flat().includes('ReportBatchItemFailures'),
  };
  if (service === 'sqs') return { ...source, ...readQueueSource(resource, sourceArn) };
  if (service === 'dynamodb') return { ...source, ...readStreamSource(resource, sourceArn) };
  throw new SetupError(`${logicalId}: ${sourceArn} is no source of events here.`);
}

function readQueueSource(resource: Resource, sourceArn: string) {
  refuseUnknown(resource, [...COMMON, ...OF_QUEUES]);
  const { BatchSize: batchSize, ScalingConfig: scaling } = resource.properties;
  return {
    kind: 'queue' as const,
    queue: lastOf(sourceArn, ':'),
    batchSize: Number(batchSize ?? 10),
    maxConcurrency: (scaling as { MaximumConcurrency?: number } | undefined)?.MaximumConcurrency,
  };
}

function readStreamSource(resource: Resource, sourceArn: string) {
  refuseUnknown(resource, [...COMMON, ...OF_STREAMS]);
  const { properties } = resource;
  const retries = Number(properties.MaximumRetryAttempts ?? -1);
  const failure = (properties.DestinationConfig as { OnFailure?: { Destination?: string } } | undefined)?.OnFailure;
  return {
    kind: 'stream' as const,
    table: sourceArn.split('/')[1] ?? '',
    batchSize: Number(properties.BatchSize ?? 100),
    startAt: readStart(resource),
    maxRetries: retries === -1 ? Number.POSITIVE_INFINITY : retries,
    bisects: properties.BisectBatchOnFunctionError === true,
    failureQueue: failure?.Destination === undefined ? undefined : queueOf(resource, failure.Destination),
  };
}

function readStart({ logicalId, properties }: Resource): 'TRIM_HORIZON' | 'LATEST' {
  const { StartingPosition: position } = properties;
  if (position === 'TRIM_HORIZON' || position === 'LATEST') return position;
  throw new SetupError(`${logicalId}: a stream is read from TRIM_HORIZON or LATEST, not from ${position}.`);
}

function queueOf({ logicalId }: Resource, destination: string): string {
  if (destination.split(':')[2] === 'sqs') return lastOf(destination, ':');
  throw new SetupError(`${logicalId}: what failed can only be sent to a queue here, not to ${destination}.`);
}

function refuseUnknown({ logicalId, properties }: Resource, understood: readonly string[]): void {
  const unknown = Object.keys(properties).filter((name) => !understood.includes(name));
  if (unknown.length > 0) throw new SetupError(`${logicalId}: ${unknown.join(', ')} cannot be run here.`);
}

const lastOf = (text: string, separator: string): string => text.slice(text.lastIndexOf(separator) + 1);
