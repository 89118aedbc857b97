/** The command line was called in a way it does not understand: said in one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The call was understood and cannot be carried out: said in one sentence, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
