import { vi } from 'vitest';

/** A line that a function prints, as CloudWatch would read it. */
export type PrintedLine = Readonly<Record<string, unknown>>;

/** What embedded metrics say about themselves. */
export interface MetricLine {
  readonly operation: string;
  readonly service: string;
  readonly _aws: {
    readonly CloudWatchMetrics: readonly [
      {
        readonly Namespace: string;
        readonly Dimensions: readonly (readonly string[])[];
        readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
      },
    ];
  };
}

/**
 * Catches what is printed from now on, until the test ends; logger and metrics write past the console. Tests
 * run without metrics otherwise, so an engine whose metrics matter is made after this.
 */
export function catchPrinted(): () => readonly PrintedLine[] {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  // Warnings and errors go to the other one.
  const writes = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  return () =>
    writes
      .flatMap(({ mock }) => mock.calls)
      .flatMap(([text]) => String(text).split('\n'))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
}

export const metricLines = (lines: readonly PrintedLine[]): readonly (MetricLine & PrintedLine)[] =>
  lines.filter((line): line is MetricLine & PrintedLine => '_aws' in line);

/** The sum of a metric over what was printed; undefined when it was never published. */
export function metricSum(lines: readonly PrintedLine[], name: string): number | undefined {
  const values = metricLines(lines).flatMap((line) => (name in line ? [Number(line[name])] : []));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
