import { Duration } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type Counter, type Gauge, METRICS } from '../protocol/counters.ts';
import type { ConsumerQueue } from './consumer-queue.ts';
import type { Outbox } from './outbox.ts';

/** From where on something is worth waking somebody for. */
export interface WatchThresholds {
  /** How long an operation may stay unfinished. @default Duration.minutes(15) */
  readonly unfinishedAge: Duration;
  /** How many unfinished operations of one kind one look may find. @default 50 */
  readonly unfinishedCount: number;
  /** How long a lapsed operation may wait that the reconciler cannot finish. @default Duration.hours(2): jobs go on hourly */
  readonly abandonedAge: Duration;
  /** How old the oldest message of a queue may be. @default Duration.minutes(10) */
  readonly queueAge: Duration;
  /** How far the outbox's relay may lag behind its stream. @default Duration.minutes(5) */
  readonly streamAge: Duration;
  /** How many percent of keyed requests may reuse a key for another request, out of 20 or more. @default 5 */
  readonly mismatchPercent: number;
  /** How many percent of requests may be answered 5xx, out of 20 or more. @default 1 */
  readonly serverErrorPercent: number;
  /** How many store calls in five minutes may be made again because of throttling. @default 10 */
  readonly throttles: number;
  /** The same because of transactions in each other's way. @default 100 */
  readonly conflicts: number;
  /** The same because the store did not answer. @default 10 */
  readonly unreachable: number;
}

export const DEFAULT_THRESHOLDS: WatchThresholds = {
  unfinishedAge: Duration.minutes(15),
  unfinishedCount: 50,
  abandonedAge: Duration.hours(2),
  queueAge: Duration.minutes(10),
  streamAge: Duration.minutes(5),
  mismatchPercent: 5,
  serverErrorPercent: 1,
  throttles: 10,
  conflicts: 100,
  unreachable: 10,
};

/** One alarm, before it is one. */
export interface AlarmSpec {
  readonly id: string;
  /** The section of the runbook that says what to do. */
  readonly section: string;
  readonly says: string;
  readonly metric: IMetric;
  /** Rings above this. */
  readonly over: number;
  /** For how many periods of five minutes. @default 1 */
  readonly periods?: number;
  readonly missing?: TreatMissingData;
}

const PERIOD = Duration.minutes(5);
/** A share of few is no share. */
const ENOUGH = 20;

/** A metric of Semel's own, over all operations of a service. */
export const semelMetric = (service: string, metricName: Counter | Gauge, statistic = Stats.SUM): Metric =>
  new Metric({
    ...{ namespace: METRICS.namespace, metricName, statistic },
    dimensionsMap: { [METRICS.service]: service },
    period: PERIOD,
  });

/** What goes wrong with keyed operations, whoever sends them. */
export const operationAlarms = (service: string, limits: WatchThresholds): AlarmSpec[] => [
  {
    id: 'UnfinishedAge',
    section: 'unfinished-operations',
    says: 'An operation has been unfinished for too long, or the reconciler does not run.',
    metric: semelMetric(service, 'unfinished-oldest-age', Stats.MAXIMUM),
    over: limits.unfinishedAge.toSeconds(),
    periods: 2,
    // The reconciler measures every minute, zeros too: silence says that it is dead.
    missing: TreatMissingData.BREACHING,
  },
  {
    id: 'UnfinishedCount',
    section: 'unfinished-operations',
    says: 'Many operations are unfinished at once.',
    metric: semelMetric(service, 'unfinished-count', Stats.MAXIMUM),
    over: limits.unfinishedCount,
    periods: 2,
  },
  {
    id: 'Abandoned',
    section: 'abandoned-operations',
    says: 'An operation has lapsed that no deployed code finishes.',
    metric: semelMetric(service, 'abandoned-oldest-age', Stats.MAXIMUM),
    over: limits.abandonedAge.toSeconds(),
  },
  {
    id: 'NeedsAttention',
    section: 'needs-attention',
    says: 'Operations wait for a person.',
    metric: semelMetric(service, 'attention-count', Stats.MAXIMUM),
    over: 0,
  },
  {
    id: 'ReconcileFailed',
    section: 'reconciler-failures',
    says: 'The reconciler cannot read or take over a record.',
    metric: semelMetric(service, 'reconciled-failed'),
    over: 0,
    periods: 2,
  },
  {
    id: 'MismatchRate',
    section: 'mismatch-rate',
    says: 'Clients reuse keys for other requests.',
    metric: mismatchPercent(service),
    over: limits.mismatchPercent,
    periods: 2,
  },
];

const mismatchPercent = (service: string): IMetric =>
  new MathExpression({
    expression: `IF(mismatch + fresh + replayed + refused >= ${ENOUGH}, 100 * mismatch / (mismatch + fresh + replayed + refused), 0)`,
    usingMetrics: {
      mismatch: semelMetric(service, 'mismatch'),
      fresh: semelMetric(service, 'new'),
      replayed: semelMetric(service, 'replayed'),
      refused: semelMetric(service, 'refused'),
    },
    label: 'mismatches, percent',
    period: PERIOD,
  });

/** What goes wrong between the functions and DynamoDB. */
export const storeAlarms = (service: string, limits: WatchThresholds): AlarmSpec[] => [
  {
    id: 'Throttles',
    section: 'throttles',
    says: 'DynamoDB throttles calls, which are made again.',
    metric: semelMetric(service, 'retried-throttle'),
    over: limits.throttles,
  },
  {
    id: 'Conflicts',
    section: 'conflict-retries',
    says: 'Transactions keep getting in the way of each other.',
    metric: semelMetric(service, 'retried-conflict'),
    over: limits.conflicts,
    periods: 2,
  },
  {
    id: 'Unreachable',
    section: 'store-unreachable',
    says: 'DynamoDB does not answer.',
    metric: semelMetric(service, 'retried-unreachable'),
    over: limits.unreachable,
  },
];

export const apiAlarm = (api: IHttpApi, name: string, limits: WatchThresholds): AlarmSpec => ({
  id: `ServerErrors${name}`,
  section: 'server-errors',
  says: 'Requests are answered 5xx.',
  metric: new MathExpression({
    expression: `IF(requests >= ${ENOUGH}, 100 * errors / requests, 0)`,
    usingMetrics: {
      errors: api.metricServerError({ statistic: Stats.SUM, period: PERIOD }),
      requests: api.metricCount({ statistic: Stats.SUM, period: PERIOD }),
    },
    label: '5xx, percent',
    period: PERIOD,
  }),
  over: limits.serverErrorPercent,
});

export const queueAlarms = (queue: ConsumerQueue, limits: WatchThresholds): AlarmSpec[] => [
  {
    id: `DeadLetters${queue.node.id}`,
    section: 'dead-letters',
    says: `Messages of ${queue.node.id} are in its dead-letter queue.`,
    metric: queue.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: PERIOD,
    }),
    over: 0,
  },
  {
    id: `QueueAge${queue.node.id}`,
    section: 'queue-age',
    says: `Messages wait in ${queue.node.id}.`,
    metric: queue.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: PERIOD }),
    over: limits.queueAge.toSeconds(),
  },
];

export const outboxAlarms = (outbox: Outbox, service: string, limits: WatchThresholds): AlarmSpec[] => [
  {
    id: `StreamAge${outbox.node.id}`,
    section: 'stream-age',
    says: `The relay of ${outbox.node.id} lags behind its stream.`,
    metric: outbox.relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: PERIOD }),
    over: limits.streamAge.toMilliseconds(),
  },
  {
    id: `Unsent${outbox.node.id}`,
    section: 'unsent-events',
    says: `Events of ${outbox.node.id} cannot be sent.`,
    metric: semelMetric(service, 'unsent-event'),
    over: 0,
    periods: 2,
  },
];
