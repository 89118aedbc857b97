import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { readProofOptions } from '../setup/proof-options.ts';
import { describeFailure, type Exploration, explore, wander } from './explorer.ts';
import { HarmCount } from './harm.ts';
import { Progress } from './progress.ts';
import type { Budget } from './scheduler.ts';

process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
const { SCENARIOS } = await import('./scenarios.ts');

/** A share of the work: all schedules within a budget, or some at random within the scenario's own. */
interface Job {
  readonly scenario: number;
  readonly most: number;
  readonly how: { readonly budget: Budget } | { readonly seed: number };
}

/** What a thread sends back: how far it is, and in the end what it found. */
type Message = { readonly done: number } | { readonly result: Exploration; readonly job: Job };

/** Small enough to try every schedule within them, as far as that share of a scenario's schedules goes. */
const EXHAUSTED: readonly { readonly budget: Budget; readonly share: number }[] = [
  { budget: { faults: 1, switches: 1 }, share: 1 },
  { budget: { faults: 2, switches: 0 }, share: 1 / 4 },
  { budget: { faults: 2, switches: 1 }, share: 1 / 4 },
];
/** What is drawn at random reaches deeper than what is tried in order, so it has a share of its own. */
const AT_RANDOM = 1 / 2;
const CHUNK = 2_000;
const REPORT_EVERY = 50;

async function work(job: Job): Promise<void> {
  const scenario = SCENARIOS[job.scenario];
  if (scenario === undefined) throw new Error(`There is no scenario ${job.scenario}.`);
  let unreported = 0;
  const onSchedule = () => {
    if (++unreported < REPORT_EVERY) return;
    parentPort?.postMessage({ done: unreported } satisfies Message);
    unreported = 0;
  };
  const limits = { most: job.most, onSchedule };
  const result =
    'seed' in job.how
      ? await wander(scenario, job.how.seed, limits)
      : await explore({ ...scenario, budget: job.how.budget }, limits);
  parentPort?.postMessage({ done: unreported } satisfies Message);
  parentPort?.postMessage({ result, job } satisfies Message);
}

const readOptions = () =>
  readProofOptions({
    command: 'npm run prove',
    about: 'Runs schedules of calls and faults, and checks after each that everything happened once.',
    options: {
      schedules: [1_000_000, 'How many, over all scenarios.'],
      only: ['', 'Only scenarios whose names this regular expression matches.'],
      seed: [1, 'The first seed of those that are drawn at random.'],
    },
  }).values;

function nothingMatches(only: string): number {
  console.error(`No scenario matches "${only}". There are:\n${SCENARIOS.map(({ name }) => `  ${name}`).join('\n')}`);
  return 1;
}

async function prove(): Promise<number> {
  const values = readOptions();
  const wanted = SCENARIOS.map((_, index) => index).filter((index) => SCENARIOS[index]?.name.match(values.only));
  if (wanted.length === 0) return nothingMatches(values.only);
  const totals = new Map(
    wanted.map((index) => [index, { schedules: 0, random: 0, exhausted: [] as string[], failures: 0 }]),
  );
  const each = Math.ceil(values.schedules / wanted.length);
  const jobs = wanted.flatMap((scenario) =>
    EXHAUSTED.map(({ budget, share }): Job => ({ scenario, most: Math.ceil(each * share), how: { budget } })),
  );
  const failures: string[] = [];
  const harm = new HarmCount();
  const progress = new Progress(each * wanted.length);
  let seed = values.seed;
  const take = ({ result, job }: { result: Exploration; job: Job }): void => {
    const total = totals.get(job.scenario);
    if (total === undefined) return;
    total.schedules += result.schedules;
    total.failures += result.failures.length;
    if ('seed' in job.how) total.random += result.schedules;
    else if (result.exhausted) total.exhausted.push(`${job.how.budget.faults}/${job.how.budget.switches}`);
    failures.push(...result.failures.map(describeFailure));
    for (const { violations } of result.failures) harm.add(violations);
  };
  const next = (): Job | undefined => {
    const planned = jobs.shift();
    if (planned) return planned;
    const missing = (index: number) => {
      const { schedules = 0, random = 0 } = totals.get(index) ?? {};
      return Math.max(each - schedules, Math.ceil(each * AT_RANDOM) - random) - (running.get(index) ?? 0);
    };
    const short = wanted.find((index) => missing(index) > 0);
    if (short === undefined) return undefined;
    return { scenario: short, most: Math.min(CHUNK, missing(short)), how: { seed: seed++ } };
  };
  const running = new Map<number, number>();
  await Promise.all(Array.from({ length: availableParallelism() }, () => runThread({ next, take, running, progress })));
  progress.end();
  console.table(
    wanted.map((index) => {
      const total = totals.get(index);
      return {
        scenario: SCENARIOS[index]?.name,
        schedules: total?.schedules,
        'all within faults/switches': total?.exhausted.join(' '),
        failures: total?.failures,
      };
    }),
  );
  for (const failure of failures.slice(0, 10)) console.error(failure);
  const sum = [...totals.values()].reduce((all, { schedules }) => all + schedules, 0);
  console.log(`${sum} schedules: ${harm}. Seeds ${values.seed} to ${seed - 1}.`);
  return failures.length === 0 ? 0 : 1;
}

interface Shared {
  readonly next: () => Job | undefined;
  readonly take: (done: { result: Exploration; job: Job }) => void;
  /** How many schedules are under way, by scenario. */
  readonly running: Map<number, number>;
  readonly progress: Progress;
}

/** Feeds one thread until there is nothing left to do. */
function runThread({ next, take, running, progress }: Shared): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url));
    const under = (job: Job, change: number) => running.set(job.scenario, (running.get(job.scenario) ?? 0) + change);
    const feed = () => {
      const job = next();
      if (job === undefined) return void worker.terminate().then(() => resolve(), reject);
      under(job, job.most);
      worker.postMessage(job);
    };
    worker.on('error', reject);
    worker.on('message', (message: Message) => {
      if ('done' in message) return progress.add(message.done);
      under(message.job, -message.job.most);
      take(message);
      feed();
    });
    feed();
  });
}

if (isMainThread) process.exitCode = await prove();
else parentPort?.on('message', (job: Job) => void work(job));
