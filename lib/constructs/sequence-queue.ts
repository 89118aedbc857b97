import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ConsumerQueue, type ConsumerQueueProps } from './consumer-queue.ts';
import type { IdempotencyTable } from './idempotency-table.ts';

export interface SequenceQueueProps extends ConsumerQueueProps {
  /** Where the marks are. They never expire, so no retention can be too short. */
  readonly table: IdempotencyTable;
}

/**
 * A FIFO queue whose consumer applies each sender's messages in the order of their numbers. Give each sender a message
 * group of its own, so that a batch holds runs of one sender, which fold into one write.
 * @example
 * new SequenceQueue(this, 'Readings', { entry: 'functions/reading-consumer.ts', table: idempotency });
 */
export class SequenceQueue extends ConsumerQueue {
  constructor(scope: Construct, id: string, props: SequenceQueueProps) {
    super(scope, id, { ...props, fifo: true, batchingWindow: Duration.seconds(0) });
    props.table.grantSequence(this.function);
  }
}
