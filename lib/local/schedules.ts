import { randomUUID } from 'node:crypto';
import { type Clockwork, readClockwork } from './clockwork.ts';
import type { Outcome } from './invocation.ts';
import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

/** A rule of the stack that starts a function at certain times. */
export interface ScheduleDefinition {
  /** The rule's logical id. @example 'ReconcileEveryMinuteA1B2C3D4' */
  readonly name: string;
  readonly arn: string;
  readonly functionArn: string;
  readonly clockwork: Clockwork;
  /** What the function gets instead of the usual event, as JSON. */
  readonly input: string | undefined;
}

interface Target {
  readonly Arn?: unknown;
  readonly Input?: unknown;
}

/**
 * Reads the scheduled rules of a stack.
 * @throws SetupError for a rule that waits for events instead of a time, or has not exactly one target
 */
export const readSchedules = (stack: StackModel): ScheduleDefinition[] =>
  stack
    .ofType('AWS::Events::Rule')
    .filter(({ properties }) => properties.State !== 'DISABLED')
    .map(readSchedule);

function readSchedule({ logicalId, identity, properties }: Resource): ScheduleDefinition {
  const [target, ...others] = (properties.Targets ?? []) as Target[];
  if (typeof properties.ScheduleExpression !== 'string' || target === undefined || others.length > 0) {
    throw new SetupError(`${logicalId}: only rules with a schedule and one target are run here.`);
  }
  return {
    name: logicalId,
    arn: String(identity.attributes.Arn),
    functionArn: String(target.Arn),
    clockwork: readClockwork(logicalId, properties.ScheduleExpression),
    input: target.Input === undefined ? undefined : String(target.Input),
  };
}

/** The schedules while they run. */
export interface RunningSchedules {
  readonly names: readonly string[];
  /** Starts the function of the rule whose name begins like this, now. Undefined: there is none. */
  run(job: string, input?: string): Promise<Outcome> | undefined;
  stop(): void;
}

/** Invokes a function with an event. */
type Invoke = (functionArn: string, event: string) => Promise<Outcome>;

/** Starts each schedule's function when its time comes, as EventBridge would. */
export function runSchedules(schedules: readonly ScheduleDefinition[], invoke: Invoke): RunningSchedules {
  const start = (schedule: ScheduleDefinition, input = schedule.input) =>
    invoke(schedule.functionArn, input ?? JSON.stringify(scheduledEvent(schedule, new Date())));
  const timers = new Map<string, NodeJS.Timeout>();
  const plan = (schedule: ScheduleDefinition): void => {
    const wait = schedule.clockwork(new Date()) - Date.now();
    const due = (): void => {
      plan(schedule);
      void start(schedule);
    };
    timers.set(schedule.name, setTimeout(due, Math.min(wait, LONGEST_TIMER)).unref());
  };
  schedules.forEach(plan);
  return {
    names: schedules.map(({ name }) => name),
    run: (job, input) => {
      const wanted = schedules.find(({ name }) => name.toLowerCase().startsWith(job.toLowerCase()));
      return wanted && start(wanted, input);
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/** What setTimeout can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html */
const scheduledEvent = ({ arn }: ScheduleDefinition, now: Date) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: arn.split(':')[4],
  time: `${now.toISOString().slice(0, 19)}Z`,
  region: arn.split(':')[3],
  resources: [arn],
  detail: {},
});
