import type { Command, Option } from './command.ts';

/** Every command takes it, so it stands in none of their lists. */
export const HELP_OPTION = { help: { type: 'boolean', short: 'h', help: 'Show this help.' } } as const satisfies Record<
  string,
  Option
>;

/** The help of one group of commands, and without one of the whole command line. @example overview(commands, 'keys') */
export function overview(commands: readonly Command[], group = ''): string {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  const isGroup = members.length > 0;
  const rows = (isGroup ? members : commands).map(({ name, summary }): Row => [name, summary]);
  return [
    'Semel makes retries safe: send a request any number of times, and it happens once.',
    '',
    `Usage: semel ${isGroup ? `${group} ` : ''}<command> [options]`,
    '',
    columns(rows),
    '',
    '`semel <command> --help` explains one command.',
    '`semel --version` prints the version.',
    'In a checkout: npm run -s semel -- <command> [options]',
    'Exit codes: 0 done, 1 not possible (the message says why), 2 not understood.',
  ].join('\n');
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...HELP_OPTION });
  const positionals = command.positionals.map((name) => ` <${name}>`).join('');
  return [
    `Usage: semel ${command.name}${positionals} [options]`,
    '',
    command.description,
    '',
    'Options:',
    columns(options.map(([name, option]) => [spelling(name, option), option.help])),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
    'In a checkout, write npm run -s semel -- for semel.',
  ].join('\n');
}

type Row = readonly [left: string, right: string];

function spelling(name: string, option: Option): string {
  const value = option.value === undefined ? '' : ` ${option.value}`;
  return `${option.short === undefined ? '    ' : `-${option.short}, `}--${name}${value}`;
}

function columns(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
