import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { type Job, type JobEnding, runJob } from '../engine/run-job.ts';
import { SemelError } from '../protocol/problems.ts';
import { isDate, type Milliseconds, milliseconds } from '../protocol/time.ts';

/** What a schedule says, or a person who runs the job by hand for a date. */
export interface JobEvent {
  /** When the schedule fired, as EventBridge writes it. */
  readonly time?: string;
  /** The day to work on, as `2026-11-30`. @default the day before `time`, in UTC */
  readonly date?: string;
}

/** A job that works on a day. */
export interface DailyJob extends Job {
  /** How long after a day its last work may still come in, in milliseconds. @default 0 */
  readonly readyAfter?: Milliseconds;
}

const logger = new Logger();
const DAY = 86_400_000;

/**
 * A scheduled Lambda handler that runs a job for the day before. Scheduled several times a day, the later runs continue or
 * find it done. A day that is not over is refused, and nothing is stored: what comes in later would be left out for good.
 *
 * @rule R33
 * @throws RangeError for a date that is none, and for a day that is not over
 * @example export const handler = nightlyJob(settle);
 */
export const nightlyJob =
  (job: DailyJob, engine: () => Engine = environmentEngine) =>
  (event: JobEvent, context: Context): Promise<{ readonly job: string; readonly ending: JobEnding }> =>
    publishingMetrics(async () => {
      const on = engine();
      const now = on.surroundings.now();
      const date = dateOf(event, now);
      refuseBefore(readyAt(date, job.readyAfter), date, now);
      const key = `${job.name}:${date}`;
      const endsAt = milliseconds(now + context.getRemainingTimeInMillis());
      const ending = await runJob(on, job, date, endsAt).catch((thrown: unknown) => {
        logger.error('A job failed', { job: key, error: faultBehind(thrown) });
        throw thrown;
      });
      logger.info('Ran a job', { job: key, ending });
      return { job: key, ending };
    });

/** Lambda prints what is thrown, but not the cause of it. */
const faultBehind = (thrown: unknown): unknown =>
  thrown instanceof SemelError && thrown.cause instanceof Error ? thrown.cause : thrown;

/** @throws RangeError for a date or a time that is none */
function dateOf({ date, time }: JobEvent, now: Milliseconds): string {
  const moment = time === undefined ? now : Date.parse(time);
  if (Number.isNaN(moment)) throw new RangeError(`${time} is not a time like 2026-11-30T00:10:00Z.`);
  const wanted = String(date ?? dayOf(moment - DAY));
  if (isDate(wanted)) return wanted;
  throw new RangeError(`${wanted} is not a date like 2026-11-30.`);
}

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

const readyAt = (date: string, readyAfter: Milliseconds = milliseconds(0)): Milliseconds =>
  milliseconds(Date.parse(date) + DAY + readyAfter);

function refuseBefore(ready: Milliseconds, date: string, now: Milliseconds): void {
  if (now >= ready) return;
  const from = new Date(ready).toISOString().replace('.000Z', 'Z');
  throw new RangeError(`It is too early to work on ${date}: in UTC, that day may be worked on from ${from}.`);
}
