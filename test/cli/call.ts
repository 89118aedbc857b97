import { runCommandLine } from '../../lib/cli/command-line.ts';

export interface CallResult {
  readonly code: number;
  /** Standard output. */
  readonly printed: string;
  /** Standard error. */
  readonly explained: string;
}

/** Calls the command line in this process. @example await call('keys', 'list', '--table', table) */
export async function call(...words: readonly string[]): Promise<CallResult> {
  const printed: string[] = [];
  const explained: string[] = [];
  const code = await runCommandLine(words, {
    print: (text) => printed.push(text),
    explain: (text) => explained.push(text),
  });
  return { code, printed: printed.join('\n'), explained: explained.join('\n') };
}
