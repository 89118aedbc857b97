import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../environment.ts';
import { ConsumerQueue, type ConsumerQueueProps, deadLetterRetentionOf, retentionOf } from './consumer-queue.ts';
import type { IdempotencyTable } from './idempotency-table.ts';

export interface OnceQueueProps extends ConsumerQueueProps {
  /** Keeps the order of messages within each message group. @default false */
  readonly fifo?: boolean;
  /** How long Lambda gathers a batch; not on a FIFO queue. @default Duration.seconds(0) */
  readonly batchingWindow?: Duration;
  /** Where the markers are, and whether the consumer makes outside calls. */
  readonly idempotency: {
    readonly table: IdempotencyTable;
    /** @default 'atomic' */
    readonly mode?: 'atomic' | 'leased';
  };
  /** How long a message may be on its way between a dead-letter queue and here again. @default Duration.days(14) */
  readonly redriveAllowance?: Duration;
  /** How long markers are kept. @default retention + deadLetterRetention + redriveAllowance, the least there may be */
  readonly markerRetention?: Duration;
}

const FORTNIGHT = Duration.days(14);

/**
 * A queue whose consumer applies each event once, for as long as SQS can bring the event back.
 * @example
 * new OnceQueue(this, 'Deposits', {
 *   entry: 'functions/deposit-consumer.ts', idempotency: { table: idempotency },
 *   data: { table: ledger, actions: ['PutItem', 'UpdateItem'] },
 * });
 */
export class OnceQueue extends ConsumerQueue {
  /** @throws Error when markers would be gone before the last redelivery, or on a FIFO queue with a batching window */
  constructor(scope: Construct, id: string, props: OnceQueueProps) {
    const { fifo = false, batchingWindow = Duration.seconds(0) } = props;
    super(scope, id, { ...props, fifo, batchingWindow });
    if (fifo && batchingWindow.toSeconds() > 0) {
      throw new Error(
        `${this.node.path}: Lambda gathers no batches over time from a FIFO queue; leave batchingWindow out.`,
      );
    }
    const { table, mode = 'atomic' } = props.idempotency;
    if (mode === 'leased') table.grantLeased(this.function);
    else table.grantAtomic(this.function);
    this.function.addEnvironment(ENVIRONMENT.markerRetention, String(markerSeconds(this, props)));
  }
}

/**
 * For how long markers are kept, in seconds; fails synthesis when a message could come back after that and be applied
 * a second time.
 * @rule R28
 */
const markerSeconds = (queue: Construct, props: OnceQueueProps): number => {
  const parts = [retentionOf(props), deadLetterRetentionOf(props), props.redriveAllowance ?? FORTNIGHT];
  const [kept = 0, dead = 0, redrive = 0] = parts.map((part) => part.toSeconds());
  const least = kept + dead + redrive;
  const seconds = props.markerRetention?.toSeconds() ?? least;
  if (seconds >= least) return seconds;
  throw new Error(
    `${queue.node.path}: markers are kept for ${seconds} s but must be kept for at least ${least} s: ` +
      `${kept} s in the queue + ${dead} s in the dead-letter queue + ${redrive} s for a redrive.`,
  );
};
