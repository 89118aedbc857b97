import type { CallPhase, LeasedOperation } from '../protocol/leased-operation.ts';
import { notBegun, type Outcome, succeeded } from '../protocol/outside-call.ts';
import type { Effect } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { JOBS } from '../protocol/scope.ts';
import { days, type Milliseconds } from '../protocol/time.ts';
import type { Answer } from './answer.ts';
import { startAttempt } from './attempt.ts';
import type { Engine } from './engine.ts';
import { runLeased } from './run-leased.ts';

/** One page of a job's work. */
export interface JobPage {
  /** At most 99; they are committed together with the cursor. */
  readonly effects: readonly Effect[];
  /** Where the next page starts; undefined when this was the last. */
  readonly next: string | undefined;
}

/** Work that goes over many items, page by page. */
export interface Job {
  /** The first half of its key, as in `settle:2026-11-30`. */
  readonly name: string;
  /** Reads one page and plans what it does. May run more than once for a page that was not committed. */
  readonly page: (run: {
    /** The second half of the job's key: what it is about, such as a date. */
    readonly id: string;
    readonly cursor: string | undefined;
    readonly read: Reader;
    readonly now: Milliseconds;
  }) => Promise<JobPage>;
}

/** How a run of a job ends. */
export type JobEnding =
  /** This run did the last page. */
  | 'done'
  /** It was done before. */
  | 'already-done'
  /** Another run is at it. */
  | 'running'
  /** Time is up: the next run goes on from the cursor. */
  | 'to-be-continued';

/** What is committed with each page. */
interface Progress {
  readonly cursor: string | undefined;
  readonly pages: number;
  readonly done: boolean;
}

/** A job is asked for by its date, so a year and a month of dates cover every look back at the same day of last year. */
const JOB_RETENTION = days(400);
/** A page and the booking after it must fit into this. */
const LAST_PAGE_ALLOWANCE = 5_000;

const START: Progress = { cursor: undefined, pages: 0, done: false };

/**
 * Runs a job once, however often and by however many it is started: its name and id are a key. Each page commits its
 * effects and the cursor in one transaction under the fence, so a run that dies is continued where it stood, and two
 * never do the same page.
 *
 * @rule R33
 * @param endsAt when the function will be ended, in epoch milliseconds
 * @throws SemelError when a page failed: the next run tries it again
 * @example await runJob(engine, settle, '2026-11-30', endsAt) // 'done', then 'already-done'
 */
export async function runJob(engine: Engine, job: Job, id: string, endsAt: Milliseconds): Promise<JobEnding> {
  const attempt = startAttempt(engine, {
    ...{ caller: JOBS, operation: job.name, key: `${job.name}:${id}`, scope: 'caller', endsAt },
    request: { method: 'RUN', path: `/jobs/${job.name}/${id}`, rawQuery: '', body: { kind: 'none' } },
    hinted: true,
  });
  const run: JobRun = { engine, job, id, endsAt, timeIsUp: false };
  const answer = await runLeased(engine, attempt, {
    operation: operationOf(run),
    intent: () => ({ id }),
    prefer: { respondAsync: false },
  });
  return endingOf(run, answer);
}

interface JobRun {
  readonly engine: Engine;
  readonly job: Job;
  readonly id: string;
  readonly endsAt: Milliseconds;
  /** Did this run stop before a page that it might not have finished? */
  timeIsUp: boolean;
}

const operationOf = (run: JobRun): LeasedOperation => ({
  name: run.job.name,
  retention: JOB_RETENTION,
  call: (phase) => turnPages(run, phase),
  settle: (_phase, result) => ({ status: 200, body: result }),
  // A job has no definitive no: a page that cannot be done stays undone until a person looks.
  cancel: () => ({ status: 200 }),
});

async function turnPages(run: JobRun, phase: CallPhase<unknown>): Promise<Outcome<unknown, unknown>> {
  const { engine, job, id, endsAt } = run;
  let progress = (phase.recoveryData as Progress | undefined) ?? START;
  while (!progress.done) {
    const now = engine.surroundings.now();
    if (now + LAST_PAGE_ALLOWANCE > endsAt) {
      run.timeIsUp = true;
      return notBegun(new SemelError('request-in-flight', 'The rest of the job is done by its next run.'));
    }
    const { effects, next } = await job.page({ id, cursor: progress.cursor, read: phase.read, now });
    progress = { cursor: next, pages: progress.pages + 1, done: next === undefined };
    await phase.checkpoint('page', { data: progress, effects });
  }
  return succeeded({ pages: progress.pages });
}

function endingOf({ timeIsUp }: JobRun, answer: Answer): JobEnding {
  if (answer.kind === 'reply') return answer.replayed ? 'already-done' : 'done';
  if (answer.problem.code !== 'request-in-flight') throw answer.problem;
  return timeIsUp ? 'to-be-continued' : 'running';
}
