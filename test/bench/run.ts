import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';
import { readProofOptions } from '../setup/proof-options.ts';
import type { LocalBench } from './local-subjects.ts';
import type { Results } from './results.ts';

/** Nobody's log is part of what is measured; set before the modules that read it are loaded. */
Object.assign(process.env, {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'eu-central-1',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_METRICS_NAMESPACE: 'Bench',
  POWERTOOLS_SERVICE_NAME: 'bench',
});

/** How often each thing is done; `--quick` is for seeing that the benchmark works. */
interface Effort {
  readonly latency: number;
  readonly effects: number;
  readonly transfers: number;
  readonly imports: number;
  readonly batches: number;
}

const FULL: Effort = { latency: 150, effects: 25, transfers: 2_000, imports: 15, batches: 30 };
const QUICK: Effort = { latency: 10, effects: 3, transfers: 200, imports: 3, batches: 3 };
const SEED = 1;

async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const started = Date.now();
  process.stderr.write(`${name} … `);
  const result = await run();
  process.stderr.write(`${Math.round((Date.now() - started) / 1_000)} s\n`);
  return result;
}

/** What is measured on DynamoDB Local. */
async function measureHere(effort: Effort) {
  const { openLocalBench } = await import('./local-subjects.ts');
  const { measureRequests, measureLatency } = await import('./measured-requests.ts');
  const { measureEffects } = await import('./measured-effects.ts');
  const { measureMessages } = await import('./measured-messages.ts');
  const dynamodb = await startDynamoDb();
  let bench: LocalBench | undefined;
  try {
    const opened = await openLocalBench(dynamodb);
    bench = opened;
    return {
      requests: await step('requests and units', () => measureRequests(opened)),
      localLatency: await step('latency here', () => measureLatency(opened, effort.latency)),
      effects: await step('many effects', () => measureEffects(opened, effort.effects)),
      messages: await step('messages in order', () => measureMessages(opened)),
    };
  } finally {
    await bench?.proxy.stop();
    await dynamodb.stop();
  }
}

async function bench(effort: Effort): Promise<Results> {
  const { measureFootprint } = await import('./measured-footprint.ts');
  const { measureCpu } = await import('./measured-cpu.ts');
  const { modelLatency, modelStorms } = await import('./modelled-latency.ts');
  const { crashMatrix } = await import('./crash-matrix.ts');
  const here = await measureHere(effort);
  return {
    ...here,
    footprint: await step('bundles and imports', () => measureFootprint(effort.imports)),
    cpu: await step('CPU', () => measureCpu(effort.batches)),
    modelled: await step('modelled latency', () => modelLatency(SEED, effort.transfers)),
    storms: await step('many duplicates', () => modelStorms(SEED)),
    crashes: await step('faults', crashMatrix),
  };
}

const { values } = readProofOptions({
  command: 'npm run bench',
  about: 'Measures Semel beside the library most people use, and writes docs/evidence.md and its charts.',
  options: { quick: [false, 'Less of everything, to see that it works; its page goes to reports/bench.'] },
});
const results = await bench(values.quick ? QUICK : FULL);
const { evidencePage } = await import('./evidence-page.ts');
const { evidenceCharts } = await import('./evidence-charts.ts');
const { goalsOf } = await import('./goals.ts');
console.table(
  goalsOf(results).map(({ what, goal, semel, beside, met }) => ({ what, goal, semel, powertools: beside, met })),
);
// Numbers of a quick run are not to be quoted.
const folder = values.quick ? join('reports', 'bench') : 'docs';
const docs = join(PROJECT_ROOT, folder);
mkdirSync(join(docs, 'evidence'), { recursive: true });
writeFileSync(join(docs, 'evidence.md'), evidencePage(results, new Date()));
for (const [name, chart] of Object.entries(evidenceCharts(results))) writeFileSync(join(docs, 'evidence', name), chart);
console.log(`Written: ${join(folder, 'evidence.md')} and its charts.`);
process.exit(0);
