import { SetupError } from '../local/setup-error.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Terminal } from './command.ts';
import { CommandError, UsageError } from './usage-error.ts';

/** Says what went wrong in a sentence, without a stack where one would not help, and answers the exit code. */
export function reportFailure(error: unknown, terminal: Terminal): 1 | 2 {
  terminal.explain(describe(error));
  return error instanceof UsageError ? 2 : 1;
}

function describe(error: unknown): string {
  const expected = [UsageError, CommandError, SetupError, SemelError].some((kind) => error instanceof kind);
  if (expected) return (error as Error).message;
  if (!(error instanceof Error)) return `Failed: ${String(error)}`;
  return describeAws(error) ?? error.stack ?? error.message;
}

/** What AWS or the way there refused is the caller's to mend: the sentence is enough. */
function describeAws(error: Error): string | undefined {
  const { name, message } = error;
  if (name === 'CredentialsProviderError' || name === 'ExpiredTokenException') {
    return `There are no usable AWS credentials: ${message} Sign in (aws sso login, or AWS_PROFILE), or name a local cloud with --endpoint.`;
  }
  if (/Region is missing/.test(message)) return 'The AWS region is not known. Set AWS_REGION.';
  if (name === 'QueueDoesNotExist') return 'There is no such queue there. Check its name and AWS_REGION.';
  if (name === 'ResourceNotFoundException') return 'There is no such table there. Check --table and AWS_REGION.';
  if (/ECONNREFUSED|ENOTFOUND|ETIMEDOUT/.test(`${(error as NodeJS.ErrnoException).code} ${message}`)) {
    return `AWS, or the endpoint instead of it, could not be reached: ${message || (error as NodeJS.ErrnoException).code}.`;
  }
  return '$metadata' in error ? `AWS refused: ${name}: ${message}` : undefined;
}
