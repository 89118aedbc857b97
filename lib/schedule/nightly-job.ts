import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { type Job, type JobEnding, runJob } from '../engine/run-job.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';

/** What a schedule says, or a person who runs the job by hand for a date. */
export interface JobEvent {
  /** When the schedule fired, as EventBridge writes it. */
  readonly time?: string;
  /** The day to work on, as `2026-11-30`. @default the day before `time`, in UTC */
  readonly date?: string;
}

const logger = new Logger();
const DAY = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * A scheduled Lambda handler that runs a job for the day before. Scheduled several times a day, the later runs continue or
 * find it done.
 *
 * @rule R33
 * @throws RangeError for a date that is none
 * @example export const handler = nightlyJob(settle);
 */
export const nightlyJob =
  (job: Job, engine: () => Engine = environmentEngine) =>
  (event: JobEvent, context: Context): Promise<{ readonly job: string; readonly ending: JobEnding }> =>
    publishingMetrics(async () => {
      const on = engine();
      const now = on.surroundings.now();
      const date = event.date ?? dayBefore(event.time === undefined ? now : milliseconds(Date.parse(event.time)));
      if (!DATE.test(date) || Number.isNaN(Date.parse(date)))
        throw new RangeError(`${date} is not a date like 2026-11-30.`);
      const ending = await runJob(on, job, date, milliseconds(now + context.getRemainingTimeInMillis()));
      logger.info('Ran a job', { job: `${job.name}:${date}`, ending });
      return { job: `${job.name}:${date}`, ending };
    });

const dayBefore = (moment: Milliseconds): string => new Date(moment - DAY).toISOString().slice(0, 10);
