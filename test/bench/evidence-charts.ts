import { barChart, lineChart } from './charts.ts';
import { pick } from './markdown.ts';
import { EFFECT_COUNTS } from './measured-effects.ts';
import { STORM_SIZES } from './modelled-latency.ts';
import type { Results } from './results.ts';

const JOBS = ['new transfer', 'replay', 'hinted replay'] as const;
const SUBJECTS = ['naive', 'powertools', 'semel'] as const;

/** The charts of docs/evidence/, by file name. */
export function evidenceCharts(results: Results): Readonly<Record<string, string>> {
  const { requests, modelled, crashes, effects, storms } = results;
  const situations = [...new Set(crashes.map(({ situation }) => situation))];
  const crashed = [...new Set(crashes.map(({ subject }) => subject))];
  return {
    'requests.svg': barChart({
      ...{ title: 'Requests to DynamoDB', unit: 'authentication aside', groups: JOBS },
      series: SUBJECTS.map((name) => ({
        name,
        values: JOBS.map((job) => pick(requests, { subject: name, job }).requests),
      })),
    }),
    'latency.svg': barChart({
      ...{ title: 'Latency at modelled service times, p50', unit: 'ms', groups: JOBS },
      series: SUBJECTS.map((name) => ({ name, values: JOBS.map((job) => pick(modelled, { subject: name, job }).p50) })),
    }),
    'crashes.svg': barChart({
      ...{ title: 'Schedules of faults that moved the money twice', unit: '%', groups: situations.map(shortly) },
      series: crashed.map((name) => ({
        name,
        values: situations.map((situation) => share(pick(crashes, { subject: name, situation }))),
      })),
    }),
    'effects.svg': lineChart({
      ...{ title: 'One operation with many effects, DynamoDB Local, p50', unit: 'ms, logarithmic' },
      groups: EFFECT_COUNTS.map((count) => `effects: ${count}`),
      series: SUBJECTS.map((name) => ({
        name,
        values: EFFECT_COUNTS.map((count) => pick(effects, { subject: name, effects: count }).p50),
      })),
    }),
    'duplicates.svg': lineChart({
      ...{ title: 'The same request by many clients at once, until the reply, modelled p50', unit: 'ms, logarithmic' },
      groups: STORM_SIZES.map((clients) => `${clients} at once`),
      series: SUBJECTS.map((name) => ({
        name,
        values: STORM_SIZES.map((size) => storms.find((s) => s.subject === name && s.clients === size)?.p50),
      })),
    }),
  };
}

const shortly = (situation: string): string => situation.replace(', zombies wake any time', ' (zombies)');

const share = ({ duplicates, schedules }: { duplicates: number; schedules: number }) => (100 * duplicates) / schedules;
