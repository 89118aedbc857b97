import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../environment.ts';
import { BundledFunction, type BundledFunctionProps } from './bundled-function.ts';
import { type DataAccess, grantData } from './data-access.ts';
import { grantSend } from './queue-grant.ts';

/**
 * A queue that is there already, with its dead-letter queue and what they are set to: a template cannot ask them, and
 * what is said here is held against the same limits as for queues of one's own.
 */
export interface ExistingQueue {
  /** @example Queue.fromQueueArn(this, 'Orders', 'arn:aws:sqs:eu-central-1:123456789012:orders') */
  readonly queue: IQueue;
  /** Where a consumer puts what can never be applied. */
  readonly deadLetterQueue: IQueue;
  readonly visibility: Duration;
  readonly retention: Duration;
  readonly deadLetterRetention: Duration;
}

/** What every consumed queue may be told. */
export interface ConsumerQueueProps extends Omit<BundledFunctionProps, 'timeout'> {
  /** How long one batch may take. @default Duration.seconds(30) */
  readonly timeout?: Duration;
  /** How many messages one invocation gets at most. @default 10 */
  readonly batchSize?: number;
  /** How many invocations run at a time at most, from 2 to 1,000. @default as many as the account lets */
  readonly maxConcurrency?: number;
  /**
   * After how many receives SQS itself gives a message up. Poison is parked at once, so a receive is mostly lost to a
   * crash, also of others in its batch; more than the usual few cost nothing where each event is applied once.
   * @default 10
   */
  readonly maxReceives?: number;
  /** For how long a received message is hidden from others. @default 6 × timeout + batching window */
  readonly visibility?: Duration;
  /** How long the queue keeps a message. @default Duration.days(4) */
  readonly retention?: Duration;
  /** How long the dead-letter queue keeps one. @default Duration.days(14), the most there is */
  readonly deadLetterRetention?: Duration;
  /** The application's own table and what may be done with it. @default none */
  readonly data?: DataAccess;
  /**
   * Consumes this queue instead of a new one; maxReceives, visibility, retention and deadLetterRetention are then the
   * existing queue's own.
   * @default a new queue with a new dead-letter queue, both encrypted and reached over TLS only
   */
  readonly existing?: ExistingQueue;
}

interface Kind {
  readonly fifo: boolean;
  readonly batchingWindow: Duration;
}

const SECONDS = Duration.seconds(30);
const RECEIVES = 10;
/** AWS's own advice: a batch may be throttled several times before it gets to run. */
const VISIBILITY_TIMEOUTS = 6;

/**
 * A queue, its dead-letter queue and the function that consumes it, wired to report failures message by message.
 * `OnceQueue` and `SequenceQueue` add what their kind of consumer needs.
 */
export class ConsumerQueue extends Construct {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly function: NodejsFunction;

  /** @throws Error when a message could be delivered again while it is still being handled */
  constructor(scope: Construct, id: string, props: ConsumerQueueProps & Kind) {
    super(scope, id);
    const { batchingWindow, timeout = SECONDS, existing } = props;
    const least = Duration.seconds(VISIBILITY_TIMEOUTS * timeout.toSeconds() + batchingWindow.toSeconds());
    const visibility = existing?.visibility ?? props.visibility ?? least;
    refuseShortVisibility(this, visibility, timeout, batchingWindow);
    if (existing) refuseOtherKind(this, existing.queue, props.fifo);
    const { queue, deadLetterQueue } = existing ?? this.newQueues(props, visibility);
    this.queue = queue;
    this.deadLetterQueue = deadLetterQueue;
    this.function = this.consumer({ ...props, timeout });
  }

  /** Lets a function send to the queue: permission and URL together. */
  grantSend(fn: LambdaFunction): void {
    grantSend(this.queue, fn, ENVIRONMENT.queueUrl);
  }

  private newQueues(props: ConsumerQueueProps & Kind, visibilityTimeout: Duration) {
    const kind = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...(props.fifo && { fifo: true }) };
    const deadLetterQueue = new Queue(this, 'DeadLetters', { ...kind, retentionPeriod: deadLetterRetentionOf(props) });
    const queue = new Queue(this, 'Queue', {
      ...kind,
      visibilityTimeout,
      retentionPeriod: retentionOf(props),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: props.maxReceives ?? RECEIVES },
    });
    return { queue, deadLetterQueue };
  }

  private consumer(props: ConsumerQueueProps & Kind & { readonly timeout: Duration }): NodejsFunction {
    const { function: fn } = new BundledFunction(this, 'Consumer', props);
    fn.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: props.batchSize ?? 10,
        reportBatchItemFailures: true,
        // Lambda takes no window on a FIFO queue.
        ...(!props.fifo && { maxBatchingWindow: props.batchingWindow }),
        ...(props.maxConcurrency !== undefined && { maxConcurrency: props.maxConcurrency }),
      }),
    );
    fn.addEnvironment(ENVIRONMENT.queueUrl, this.queue.queueUrl);
    grantSend(this.deadLetterQueue, fn, ENVIRONMENT.deadLetterQueueUrl);
    if (props.data) grantData(fn, props.data);
    return fn;
  }
}

type Retentions = Pick<ConsumerQueueProps, 'existing' | 'retention' | 'deadLetterRetention'>;

export const retentionOf = ({ existing, retention }: Retentions): Duration =>
  existing?.retention ?? retention ?? Duration.days(4);

export const deadLetterRetentionOf = ({ existing, deadLetterRetention }: Retentions): Duration =>
  existing?.deadLetterRetention ?? deadLetterRetention ?? Duration.days(14);

/** The name of a queue tells its kind, so a wrong one is noticed before it is deployed. */
const refuseOtherKind = (consumed: Construct, queue: IQueue, fifo: boolean): void => {
  if (queue.fifo === fifo) return;
  throw new Error(
    `${consumed.node.path}: the existing queue is ${queue.fifo ? '' : 'not '}a FIFO queue, and ` +
      `${fifo ? 'a FIFO queue' : 'a standard one'} is asked for.`,
  );
};

/**
 * Fails synthesis for a queue that would deliver a message to a second invocation while the first is still at it.
 * @rule R28
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const refuseShortVisibility = (
  consumed: Construct,
  visibility: Duration,
  timeout: Duration,
  batchingWindow: Duration,
): void => {
  const least = VISIBILITY_TIMEOUTS * timeout.toSeconds() + batchingWindow.toSeconds();
  if (visibility.toSeconds() >= least) return;
  throw new Error(
    `${consumed.node.path}: the visibility timeout is ${visibility.toSeconds()} s but must be at least ${least} s, ` +
      `which is ${VISIBILITY_TIMEOUTS} × the function's timeout of ${timeout.toSeconds()} s + ` +
      `the batching window of ${batchingWindow.toSeconds()} s.`,
  );
};
