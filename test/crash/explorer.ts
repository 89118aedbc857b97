import { type Budget, type Choose, Scheduler, type Step } from './scheduler.ts';

/** One story to explore: it sets a world up, lets it run, and says what was wrong at the end. */
export interface Scenario {
  readonly name: string;
  readonly budget: Budget;
  /** Starts every process and returns the check that follows when all are still. */
  readonly start: (scheduler: Scheduler) => () => readonly string[];
}

export interface Failure {
  readonly scenario: string;
  readonly budget: Budget;
  /** Hand these to `replay` to see it again. */
  readonly choices: readonly number[];
  readonly violations: readonly string[];
  readonly steps: readonly Step[];
}

export interface Exploration {
  readonly schedules: number;
  readonly failures: readonly Failure[];
  /** Was every schedule within the budget tried? */
  readonly exhausted: boolean;
}

/** When to stop. */
interface Limits {
  readonly most: number;
  readonly onSchedule?: () => void;
}

/** A handful shows the kind; thousands of the same would hide it. */
const MOST_FAILURES = 5;

/**
 * Explores schedules depth first, without remembering states: each is run from its beginning, with one choice changed
 * as late as possible. So the schedules come in a fixed order, none twice, and a list of choices says all about one.
 */
export async function explore(scenario: Scenario, { most, onSchedule }: Limits): Promise<Exploration> {
  const failures: Failure[] = [];
  let next: readonly number[] | undefined = [];
  let schedules = 0;
  while (next !== undefined && schedules < most && failures.length < MOST_FAILURES) {
    const { scheduler, failure } = await replay(scenario, next);
    schedules++;
    onSchedule?.();
    if (failure) failures.push(failure);
    next = following(scheduler);
  }
  return { schedules, failures, exhausted: next === undefined };
}

/** Runs schedules drawn at random, where there are too many to try each; a seed repeats a run. */
export async function wander(scenario: Scenario, seed: number, { most, onSchedule }: Limits): Promise<Exploration> {
  const random = seeded(seed);
  const failures: Failure[] = [];
  let schedules = 0;
  while (schedules < most && failures.length < MOST_FAILURES) {
    const { failure } = await run(scenario, (_, options) => (random() < 0.6 ? 0 : Math.floor(random() * options)));
    schedules++;
    onSchedule?.();
    if (failure) failures.push(failure);
  }
  return { schedules, failures, exhausted: false };
}

/** Runs the schedule that begins with these choices and goes on without interference. */
export const replay = (scenario: Scenario, choices: readonly number[]) => run(scenario, (step) => choices[step] ?? 0);

async function run(scenario: Scenario, choose: Choose) {
  const scheduler = new Scheduler(choose, scenario.budget);
  const check = scenario.start(scheduler);
  await scheduler.run();
  const violations = check();
  const { choices, steps } = scheduler;
  const failure: Failure | undefined =
    violations.length === 0
      ? undefined
      : { scenario: scenario.name, budget: scenario.budget, choices, violations, steps };
  return { scheduler, failure };
}

/** Depth first: the last choice that can be raised is raised, and what followed it is forgotten. */
function following({ choices, widths }: Scheduler): readonly number[] | undefined {
  for (let step = widths.length - 1; step >= 0; step--) {
    const choice = choices[step] ?? 0;
    if (choice + 1 < (widths[step] ?? 0)) return [...choices.slice(0, step), choice + 1];
  }
  return undefined;
}

/** Mulberry32: small, and good enough to draw schedules. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A failure, as somebody reads it who wants to see it again. */
export const describeFailure = ({ scenario, budget, choices, violations, steps }: Failure): string =>
  [
    `${scenario}: ${violations.join('; ')}`,
    `  again: npm run replay -- '${scenario}' '${JSON.stringify(budget)}' '${JSON.stringify(choices)}'`,
    ...steps.map(({ process, label, fate }) => `  ${process}: ${label} → ${fate}`),
  ].join('\n');
