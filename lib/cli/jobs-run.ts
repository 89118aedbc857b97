import { isDate } from '../protocol/time.ts';
import { type Command, type Input, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { CommandError, UsageError } from './usage-error.ts';

/** `semel jobs run`: starts a scheduled function now. */
export const jobsRun: Command = {
  name: 'jobs run',
  summary: 'Run a scheduled job of the local cloud now.',
  description: `Starts the function of a schedule at once and prints what it returned. A job is named by the beginning of its
schedule's name in the stack; case does not count. A job that is done for its date is not done again, and a day that is
not over yet, in UTC, is refused.

It runs in the local cloud that runs from this checkout. At AWS, invoke the function:
  aws lambda invoke --function-name <function> --payload '{"date":"2026-11-30"}' --cli-binary-format raw-in-base64-out out.json`,
  positionals: ['job'],
  options: {
    date: {
      type: 'string',
      value: '<YYYY-MM-DD>',
      help: 'The day to work on. Default: what the job works on by itself.',
    },
    url: {
      type: 'string',
      value: '<url>',
      help: "The local cloud's URL. Default: that of the one that runs from here.",
    },
  },
  examples: ['semel jobs run settle --date 2026-11-30', 'semel jobs run reconcile'],
  async run(input, terminal) {
    const [job = ''] = input.positionals;
    const query = dateOf(input);
    const answer = await post(`${urlOf(input)}/_local/jobs/${encodeURIComponent(job)}${query}`);
    const body = (await answer.json()) as Ended;
    if (answer.ok && body.payload !== undefined) return terminal.print(body.payload);
    const failed = body.error && `The job failed: ${body.error.errorMessage}`;
    throw new CommandError(body.detail ?? failed ?? `The job did not end well: ${JSON.stringify(body)}`);
  },
};

/** What the local cloud answers: what the function returned, or threw, or why there is no such job. */
interface Ended {
  readonly payload?: string;
  readonly error?: { readonly errorMessage: string };
  readonly detail?: string;
}

function dateOf(input: Input): string {
  const date = textOption(input, 'date');
  if (date === undefined) return '';
  if (!isDate(date)) throw new UsageError(`--date is "${date}", which is not a date like 2026-11-30.`);
  return `?input=${encodeURIComponent(JSON.stringify({ date }))}`;
}

function urlOf(input: Input): string {
  const url = textOption(input, 'url') ?? findRunningCloud(PROJECT_ROOT)?.url;
  if (url !== undefined) return url.replace(/\/+$/, '');
  throw new CommandError(
    'No local cloud runs from this checkout: start one with npm start. How to run a job at AWS is in semel jobs run --help.',
  );
}

async function post(target: string): Promise<Response> {
  try {
    return await fetch(target, { method: 'POST' });
  } catch (cause) {
    throw new CommandError(`${target} does not answer.`, { cause });
  }
}
