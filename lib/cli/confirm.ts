import { createInterface } from 'node:readline/promises';
import type { Input } from './command.ts';
import { CommandError } from './usage-error.ts';

/** The option that answers before the question is asked. */
export const YES_OPTION = { yes: { type: 'boolean', short: 'y', help: 'Do it without asking.' } } as const;

/** Where a question is asked: it must be a screen, or nobody would see it. */
interface Screen {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks whether to go on.
 * @throws CommandError when the answer is no, or nobody is there to give one
 */
export async function confirm(
  { options }: Input,
  question: string,
  { input, output }: Screen = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (options.yes === true) return;
  if (!input.isTTY) throw new CommandError('Nobody is here to be asked. Add --yes to do it.');
  const dialog = createInterface({ input, output });
  try {
    const answer = await dialog.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
  } finally {
    dialog.close();
  }
}
