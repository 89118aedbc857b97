/** The package's entry `semel/schedule`: what a timer starts. */
export { type DailyJob, type JobEvent, nightlyJob } from '../schedule/nightly-job.ts';
export { reconciler } from '../schedule/reconciler.ts';
