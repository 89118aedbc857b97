import { type Command, type Input, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { CommandError, UsageError } from './usage-error.ts';

/** `semel jobs run`: starts a scheduled function now. */
export const jobsRun: Command = {
  name: 'jobs run',
  summary: 'Run a scheduled job of the local cloud now.',
  description: `Starts the function of a schedule at once and prints what it returned. A job is named by the beginning of its
schedule's name in the stack; case does not count. A job that is done for its date is not done again.

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
    const body = (await answer.json()) as { readonly payload?: string; readonly detail?: string };
    if (answer.ok && body.payload !== undefined) return terminal.print(body.payload);
    throw new CommandError(body.detail ?? `The job did not end well: ${JSON.stringify(body)}`);
  },
};

function dateOf(input: Input): string {
  const date = textOption(input, 'date');
  if (date === undefined) return '';
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date));
  if (!isDate) throw new UsageError(`--date is "${date}", which is not a date like 2026-11-30.`);
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
