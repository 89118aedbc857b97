import { type Budget, Scheduler, type Step } from './scheduler.ts';

/** One story to explore: it sets a world up, lets it run, and says what was wrong at the end. */
export interface Scenario {
  readonly name: string;
  readonly budget: Budget;
  /** Starts every process and returns the check that follows when all are still. */
  readonly start: (scheduler: Scheduler) => () => readonly string[];
}

export interface Failure {
  readonly scenario: string;
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

interface Limits {
  readonly most: number;
  readonly onSchedule?: (schedules: number) => void;
  /** Explore only the schedules whose first choice has this remainder: so several threads share the work. */
  readonly share?: { readonly index: number; readonly of: number };
}

/**
 * Explores schedules depth first, without remembering states: each is run from its beginning, with one choice changed
 * as late as possible. So the schedules come in a fixed order, and a list of choices says everything about one.
 */
export async function explore(scenario: Scenario, limits: Limits): Promise<Exploration> {
  const failures: Failure[] = [];
  let choices: readonly number[] | undefined = [];
  let schedules = 0;
  while (choices !== undefined && schedules < limits.most) {
    const { scheduler, violations } = await replay(scenario, choices);
    schedules++;
    limits.onSchedule?.(schedules);
    if (violations.length > 0) {
      failures.push({ scenario: scenario.name, choices, violations, steps: scheduler.steps });
      if (failures.length >= MOST_FAILURES) break;
    }
    choices = nextChoices(choices, scheduler.widths);
  }
  return { schedules, failures, exhausted: choices === undefined };
}

/** Runs one schedule. */
export async function replay(scenario: Scenario, choices: readonly number[]) {
  const scheduler = new Scheduler(choices, scenario.budget);
  const check = scenario.start(scheduler);
  await scheduler.run();
  return { scheduler, violations: check() };
}

/** A handful shows the kind; thousands of the same would hide it. */
const MOST_FAILURES = 5;

/** The next list in depth-first order: the last choice that can be raised is raised, and what followed is forgotten. */
function nextChoices(choices: readonly number[], widths: readonly number[]): readonly number[] | undefined {
  const taken = widths.map((_, step) => choices[step] ?? 0);
  for (let step = widths.length - 1; step >= 0; step--) {
    const choice = taken[step] ?? 0;
    if (choice + 1 < (widths[step] ?? 0)) return [...taken.slice(0, step), choice + 1];
  }
  return undefined;
}

/** A failure, as somebody reads it who wants to see it again. */
export const describeFailure = ({ scenario, choices, violations, steps }: Failure): string =>
  [
    `${scenario}: ${violations.join('; ')}`,
    `  replay: ${JSON.stringify(choices)}`,
    ...steps.map(({ process, label, fate }) => `  ${process}: ${label} → ${fate}`),
  ].join('\n');
