import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type Counter, type Gauge, METRICS } from '../protocol/counters.ts';

type Values = Map<Counter | Gauge, { readonly unit: 'Count' | 'Seconds'; readonly value: number }>;

/** What this invocation has counted and measured, by operation. */
let gathered = new Map<string, Values>();

let metrics: Metrics | undefined;

/** Counts one thing that happened to an operation; published at the end of the invocation. @rule R38 */
export function countMetric(counter: Counter, operation: string): void {
  const values = valuesOf(operation);
  values.set(counter, { unit: MetricUnit.Count, value: (values.get(counter)?.value ?? 0) + 1 });
}

/** Measures something about an operation; the last value of an invocation counts. Ages are in seconds. */
export function measureMetric(gauge: Gauge, operation: string, value: number): void {
  const unit = gauge.endsWith('-age') ? MetricUnit.Seconds : MetricUnit.Count;
  valuesOf(operation).set(gauge, { unit, value });
}

/**
 * Prints what was gathered as embedded metrics, one line per operation, and starts anew. CloudWatch reads the lines out
 * of the log, so no request waits for it; an invocation that is killed takes its counts along.
 *
 * Each value is published twice from the one line: for the operation, and for the service as a whole, since an alarm
 * cannot search through operations.
 *
 * @rule R38
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
function publishMetrics(): void {
  const published = gathered;
  gathered = new Map();
  for (const [operation, values] of published) {
    metrics ??= new Metrics({ namespace: process.env.POWERTOOLS_METRICS_NAMESPACE || METRICS.namespace });
    metrics.addDimension(METRICS.operation, operation).addDimensions({});
    for (const [name, { unit, value }] of values) metrics.addMetric(name, unit, value);
    metrics.publishStoredMetrics();
  }
}

/** Runs an invocation and publishes what it gathered, however it ends. */
export async function publishingMetrics<Result>(invocation: () => Promise<Result>): Promise<Result> {
  try {
    return await invocation();
  } finally {
    publishMetrics();
  }
}

function valuesOf(operation: string): Values {
  const values: Values = gathered.get(operation) ?? new Map();
  gathered.set(operation, values);
  return values;
}
