import { SetupError } from './setup-error.ts';

/** When a schedule is due next, in epoch milliseconds. */
export type Clockwork = (now: Date) => number;

const UNIT = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/**
 * Reads a schedule expression: a rate, or a cron of one minute and one or every hour, every day.
 * @throws SetupError for any other, which would run at other times here than in AWS
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @example new Date(readClockwork('Nightly', 'cron(30 1 * * ? *)')(new Date('2026-11-30T12:00:00Z'))).toISOString()
 * // '2026-12-01T01:30:00.000Z'
 */
export function readClockwork(name: string, expression: string): Clockwork {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count !== undefined && unit !== undefined) {
    return (now) => now.getTime() + Number(count) * UNIT[unit as keyof typeof UNIT];
  }
  const [, minute, hour] = /^cron\((\d{1,2}) (\d{1,2}|\*) \* \* \? \*\)$/.exec(expression) ?? [];
  if (minute === undefined || hour === undefined) {
    throw new SetupError(`${name}: the schedule ${expression} is not run here.`);
  }
  const [period, hours] = hour === '*' ? [UNIT.hour, 0] : [UNIT.day, Number(hour)];
  return (now) => nextAt(now, period, hours * UNIT.hour + Number(minute) * UNIT.minute);
}

/** The next moment after now that is so far into its hour or day (UTC, as EventBridge counts). */
function nextAt(now: Date, period: number, into: number): number {
  const due = Math.floor(now.getTime() / period) * period + into;
  return due > now.getTime() ? due : due + period;
}
