/** Where a command's words go, so that what it answers can be piped and what it says about that cannot get in between. */
export interface Terminal {
  /** The answer: standard output. */
  print(text: string): void;
  /** Everything said about it: standard error. */
  explain(text: string): void;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help. @example '<port>' */
  readonly value?: string;
  readonly help: string;
}

/** What a command was called with; an option that was not given is absent. */
export interface Input {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  /** The words it is called by. @example 'keys create' */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What somebody needs to know who has never called it. */
  readonly description: string;
  /** The names of its positional arguments, all of them required. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  run(input: Input, terminal: Terminal): Promise<void>;
}

/** A text option's value; undefined when it was not given. */
export function textOption(input: Input, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}
