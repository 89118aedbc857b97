import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BundledFunction } from './bundled-function.ts';
import type { ConsumerQueue } from './consumer-queue.ts';
import type { IdempotencyTable } from './idempotency-table.ts';
import { grantStream } from './table-grant.ts';

export interface OutboxProps {
  /** The table that events wait in. */
  readonly table: IdempotencyTable;
  /** Where events are sent. */
  readonly target: ConsumerQueue;
  /** The files of the two handlers, `outboxRelay()` and `outboxSweeper()`. */
  readonly entries: { readonly relay: string; readonly sweeper: string };
  /** How often to look for what was left over. @default Duration.minutes(1) */
  readonly sweepEvery?: Duration;
  /** The service's name in logs and metrics. @default 'semel' */
  readonly serviceName?: string;
}

/** How often the stream repeats a batch before it leaves it to the sweeper, which goes on for good. */
const RETRIES = 5;

/**
 * Sends what operations put into the outbox: the table's stream relays each event within about a second, and a schedule
 * sends what was left over.
 * @example new Outbox(this, 'Outbox', { table: idempotency, target: notifications, entries: { relay, sweeper } });
 */
export class Outbox extends Construct {
  readonly relay: NodejsFunction;
  readonly sweeper: NodejsFunction;
  /** Learns of batches that the stream gave up. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, props: OutboxProps) {
    super(scope, id);
    const { table, target, entries, serviceName, sweepEvery = Duration.minutes(1) } = props;
    const build = (name: string, entry: string) =>
      new BundledFunction(this, name, { entry, timeout: Duration.seconds(50), ...(serviceName && { serviceName }) })
        .function;
    this.relay = build('Relay', entries.relay);
    this.sweeper = build('Sweeper', entries.sweeper);
    for (const fn of [this.relay, this.sweeper]) target.grantSend(fn);
    table.grantRelay(this.relay);
    table.grantSweep(this.sweeper);
    this.failures = new Queue(this, 'Failures', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.readStream(table);
    new Rule(this, 'Sweep', { schedule: Schedule.rate(sweepEvery), targets: [new LambdaFunction(this.sweeper)] });
  }

  /** New events only: the stream also carries every record and marker, and the relay's own deletions. */
  private readStream({ table }: IdempotencyTable): void {
    const eventSourceArn = grantStream(table, this.relay);
    new EventSourceMapping(this, 'Stream', {
      target: this.relay,
      eventSourceArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: RETRIES,
      onFailure: new SqsDlq(this.failures),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { Keys: { pk: { S: FilterRule.beginsWith('outbox#') } } },
        }),
      ],
    });
  }
}
