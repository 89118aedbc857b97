import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { capacity } from './capacity.ts';
import type { Command, Input, Terminal } from './command.ts';
import { commandHelp, HELP_OPTION, overview } from './help.ts';
import { jobsRun } from './jobs-run.ts';
import { keysCreate } from './keys-create.ts';
import { keysList } from './keys-list.ts';
import { keysRevoke } from './keys-revoke.ts';
import { nearest } from './nearest.ts';
import { withNegativeValues } from './negative-values.ts';
import { operationsList } from './operations-list.ts';
import { operationsResolve } from './operations-resolve.ts';
import { operationsShow } from './operations-show.ts';
import { queuesRedrive } from './queues-redrive.ts';
import { reportFailure } from './report-failure.ts';
import { simulate } from './simulate.ts';
import { start } from './start.ts';
import { UsageError } from './usage-error.ts';
import { webhooksSend } from './webhooks-send.ts';

const COMMANDS: readonly Command[] = [
  start,
  ...[keysCreate, keysList, keysRevoke],
  ...[operationsList, operationsShow, operationsResolve],
  ...[queuesRedrive, jobsRun, webhooksSend],
  ...[simulate, capacity],
];

/**
 * Runs one call of the command line.
 * @returns the exit code: 0 done, 1 not possible, 2 not understood
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(words, terminal);
    return 0;
  } catch (error) {
    return reportFailure(error, terminal);
  }
}

/** The package's own, whether it runs from a checkout or was installed. */
const readVersion = (): string => createRequire(import.meta.url)('semel/package.json').version;

async function dispatch(words: readonly string[], terminal: Terminal): Promise<void> {
  if (words[0] === '--version' || words[0] === '-v') return terminal.print(readVersion());
  const command = findCommand(words);
  if (command === undefined) return terminal.print(overview(COMMANDS, words[0]));
  const input = parse(command, words.slice(command.name.split(' ').length));
  if (input.options.help) return terminal.print(commandHelp(command));
  requirePositionals(command, input);
  await command.run(input, terminal);
}

/** The command that the first words name; undefined when they ask for the overview. */
function findCommand(words: readonly string[]): Command | undefined {
  const end = words.findIndex((word) => word.startsWith('-'));
  const named = words.slice(0, end === -1 ? words.length : end);
  const found = COMMANDS.find(({ name }) => `${named.join(' ')} `.startsWith(`${name} `));
  if (found !== undefined) return found;
  const wantsHelp = words.includes('--help') || words.includes('-h') || named[0] === 'help';
  if (words.length === 0 || wantsHelp) return undefined;
  throw new UsageError(unknownCommand(named.length === 0 ? words : named));
}

function unknownCommand(words: readonly string[]): string {
  const [first = '', second] = words;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (group.length > 0 && second === undefined) return `"${first}" needs one of: ${group.join(', ')}.`;
  const names = COMMANDS.map(({ name }) => name);
  const called = second === undefined ? first : `${first} ${second}`;
  const meant = nearest(called, names) ?? nearest(first, names);
  return `There is no command "${called}". ${meant ? `Did you mean "${meant}"?` : `There are: ${names.join(', ')}.`}`;
}

function parse(command: Command, words: readonly string[]): Input {
  const options = { ...command.options, ...HELP_OPTION };
  const args = withNegativeValues(words, Object.keys(options));
  refuseUnknownOptions(command, args, Object.keys(options));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { options: values, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. ${seeHelp(command)}`);
  }
}

function refuseUnknownOptions(command: Command, args: readonly string[], known: readonly string[]): void {
  const options = { ...command.options, ...HELP_OPTION };
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const unknown = tokens.find((token) => token.kind === 'option' && !known.includes(token.name));
  if (unknown?.kind !== 'option') return;
  const meant = nearest(unknown.name, known);
  const hint = meant === undefined ? seeHelp(command) : `Did you mean --${meant}?`;
  throw new UsageError(`"semel ${command.name}" has no option ${unknown.rawName}. ${hint}`);
}

function requirePositionals(command: Command, { positionals }: Input): void {
  const missing = command.positionals[positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing. ${seeHelp(command)}`);
  const surplus = positionals[command.positionals.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many. ${seeHelp(command)}`);
}

const seeHelp = (command: Command): string => `"semel ${command.name} --help" explains it.`;
