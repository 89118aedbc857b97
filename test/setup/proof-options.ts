import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { withNegativeValues } from '../../lib/cli/negative-values.ts';

/** An option of a proof: what it is without it, which also says what kind of value it takes, and what it is for. */
type ProofOption = readonly [initial: number | string | boolean, help: string];
type Widened<Initial> = Initial extends number ? number : Initial extends boolean ? boolean : string;
type Values<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends ProofOption ? Widened<Options[Name][0]> : never;
};

interface Proof<Options> {
  /** How it is called. @example 'npm run prove' */
  readonly command: string;
  readonly about: string;
  readonly options: Options;
  /** The names of positional arguments, any of which may be left out; one that ends with … may come often. */
  readonly positionals?: readonly string[];
}

/**
 * Reads the command line of a proof. `--help` prints how it is called, what is not understood is said in one line; both
 * end the process, since there is nothing to prove then.
 */
export function readProofOptions<const Options extends Readonly<Record<string, ProofOption>>>(
  proof: Proof<Options>,
): { readonly values: Values<Options>; readonly positionals: readonly string[] } {
  try {
    const options = parsedOptions(proof.options);
    const args = withNegativeValues(process.argv.slice(2), Object.keys(proof.options));
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help === true) {
      console.log(usage(proof));
      process.exit(0);
    }
    const surplus = proof.positionals?.at(-1)?.endsWith('…') ? undefined : positionals[proof.positionals?.length ?? 0];
    if (surplus !== undefined) throw new Error(`"${surplus}" is one argument too many`);
    const read = Object.entries(proof.options).map(([name, [initial]]) => [
      name,
      readValue(name, values[name], initial),
    ]);
    return { values: Object.fromEntries(read), positionals };
  } catch (error) {
    console.error(`${(error as Error).message.split('. ')[0]}. "${proof.command} -- --help" explains it.`);
    return process.exit(2);
  }
}

function parsedOptions(options: Readonly<Record<string, ProofOption>>): ParseArgsOptionsConfig {
  const kinds = Object.entries(options).map(([name, [initial]]) => [
    name,
    { type: typeof initial === 'boolean' ? 'boolean' : 'string' } as const,
  ]);
  return { ...Object.fromEntries(kinds), help: { type: 'boolean', short: 'h' } };
}

function readValue(name: string, given: unknown, initial: ProofOption[0]): ProofOption[0] {
  if (given === undefined || typeof initial !== 'number') return (given as string | boolean | undefined) ?? initial;
  if (/^\d+(\.\d+)?$/.test(String(given))) return Number(given);
  throw new Error(`--${name} is "${given}", which is not a number`);
}

function usage({ command, about, options, positionals = [] }: Proof<Readonly<Record<string, ProofOption>>>): string {
  const rows = Object.entries(options).map(([name, [initial, help]]) => {
    const value = typeof initial === 'boolean' ? '' : typeof initial === 'number' ? ' <number>' : ' <text>';
    const usually = typeof initial === 'boolean' || initial === '' ? '' : ` Default: ${initial}.`;
    return [`--${name}${value}`, `${help}${usually}`] as const;
  });
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const called = [...positionals.map((name) => `[<${name}>]`), ...(rows.length > 0 ? ['[options]'] : [])].join(' ');
  return [
    `Usage: ${command}${called && ` -- ${called}`}`,
    `\n${about}`,
    ...(rows.length > 0 ? ['\nOptions:'] : []),
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n');
}
