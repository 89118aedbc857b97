import { Stack } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type Counter, METRICS } from '../protocol/counters.ts';
import {
  type AlarmSpec,
  apiAlarm,
  DEFAULT_THRESHOLDS,
  operationAlarms,
  outboxAlarms,
  queueAlarms,
  semelMetric,
  storeAlarms,
  type WatchThresholds,
} from './alarm-specs.ts';
import type { ConsumerQueue } from './consumer-queue.ts';
import type { Outbox } from './outbox.ts';

export interface WatchProps {
  /** Whose metrics are watched: the `serviceName` of the functions. */
  readonly serviceName: string;
  /** HTTP APIs whose 5xx answers are watched. @default none */
  readonly apis?: readonly IHttpApi[];
  /** Queues whose age and dead letters are watched. @default none */
  readonly queues?: readonly ConsumerQueue[];
  /** Outboxes whose streams and leftovers are watched. @default none */
  readonly outboxes?: readonly Outbox[];
  /** Where alarms are told. @default a new topic, to be subscribed to */
  readonly topic?: ITopic;
  /** From where on to ring; what is left out has its default. */
  readonly thresholds?: Partial<WatchThresholds>;
  /** Where the runbook is; its sections are linked as `<runbook>#<section>`. @default 'docs/runbook.md' */
  readonly runbook?: string;
}

/**
 * Alarms on what a person must know of, a topic that they tell, and a dashboard to look at after that. Each alarm's
 * description names the section of the runbook that says what to do.
 * @example
 * const watch = new Watch(this, 'Watch', { serviceName: 'wallet', apis: [api], queues: [deposits] });
 * watch.topic.addSubscription(new EmailSubscription('on-call@example.com'));
 */
export class Watch extends Construct {
  readonly topic: ITopic;
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    this.topic = props.topic ?? alarmTopic(this);
    this.alarms = specsOf(props).map((spec) => this.alarm(spec, props.runbook ?? 'docs/runbook.md'));
    this.dashboard = new Dashboard(this, 'Dashboard', { dashboardName: Stack.of(this).stackName });
    this.dashboard.addWidgets(new AlarmStatusWidget({ alarms: [...this.alarms], width: 24, height: 4 }));
    for (const row of rowsOf(props)) this.dashboard.addWidgets(...row);
  }

  private alarm({ id, section, says, metric, over, periods = 1, missing }: AlarmSpec, runbook: string): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      alarmDescription: `${says} ${runbook}#${section}`,
      threshold: over,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    return alarm;
  }
}

const specsOf = ({ serviceName, apis = [], queues = [], outboxes = [], thresholds }: WatchProps): AlarmSpec[] => {
  const limits = { ...DEFAULT_THRESHOLDS, ...thresholds };
  return [
    ...operationAlarms(serviceName, limits),
    ...storeAlarms(serviceName, limits),
    ...apis.map((api) => apiAlarm(api, api.node.id, limits)),
    ...queues.flatMap((queue) => queueAlarms(queue, limits)),
    ...outboxes.flatMap((outbox) => outboxAlarms(outbox, serviceName, limits)),
  ];
};

/**
 * A topic that CloudWatch of this account may publish to. Asking for TLS replaces the policy that topics have by default,
 * and with it the permission to publish. SNS's own key would keep CloudWatch out; messages name alarms, and no data.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
const alarmTopic = (scope: Construct): Topic => {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
};

/** What a request can end in, in the order in which it should be stacked. */
const ENDINGS: readonly Counter[] = ['new', 'replayed', 'refused', 'in-flight', 'mismatch', 'unknown'];

const rowsOf = ({ serviceName, apis = [], queues = [], outboxes = [] }: WatchProps): GraphWidget[][] => {
  const own = (...names: Counter[]) => names.map((name) => semelMetric(serviceName, name));
  const unfinished = (['unfinished-count', 'attention-count'] as const).map((name) =>
    semelMetric(serviceName, name, Stats.MAXIMUM),
  );
  return [
    [graph('How requests end', own(...ENDINGS)), graph('New, by operation', [byOperation(serviceName, 'new')])],
    [
      graph('Unfinished, and waiting for a person', unfinished),
      graph('Oldest unfinished', [semelMetric(serviceName, 'unfinished-oldest-age', Stats.MAXIMUM)]),
    ],
    [
      graph('Store calls made again', own('retried-conflict', 'retried-throttle', 'retried-unreachable')),
      graph('Messages', own('duplicate-message', 'gap', 'dead-lettered', 'unsent-event')),
    ],
    [
      graph(
        '5xx',
        apis.map((api) => api.metricServerError()),
      ),
      graph(
        'Latency, 99 %',
        apis.map((api) => api.metricLatency({ statistic: 'p99' })),
      ),
    ],
    [
      graph('Age of the oldest message', [
        ...queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage()),
        ...outboxes.map(({ relay }) => relay.metric('IteratorAge', { statistic: Stats.MAXIMUM })),
      ]),
      graph('Dead letters', [
        ...queues.map(({ deadLetterQueue }) => deadLetterQueue.metricApproximateNumberOfMessagesVisible()),
        ...outboxes.map(({ failures }) => failures.metricApproximateNumberOfMessagesVisible()),
      ]),
    ],
  ];
};

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 12 });

/** A search finds the operations that there are; an alarm could not. */
const byOperation = (service: string, name: Counter): IMetric =>
  new MathExpression({
    expression: `SEARCH('{${METRICS.namespace},${METRICS.operation},${METRICS.service}} ${METRICS.service}="${service}" MetricName="${name}"', 'Sum')`,
    label: '',
    usingMetrics: {},
  });
