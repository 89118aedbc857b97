/**
 * Ties each value that begins with a minus to its option, since `parseArgs` would take it for an option of its own, and
 * nobody would say what is wrong with it.
 *
 * @param taking the options that may take a value
 * @example withNegativeValues(['--drop', '-0.1'], ['drop']) // ['--drop=-0.1']
 */
export const withNegativeValues = (args: readonly string[], taking: readonly string[]): string[] =>
  args.flatMap((word, index) => {
    const next = args[index + 1] ?? '';
    if (tied(args[index - 1], word, taking)) return [];
    return tied(word, next, taking) ? [`${word}=${next}`] : [word];
  });

const tied = (option: string | undefined, value: string, taking: readonly string[]): boolean =>
  option !== undefined && taking.some((name) => option === `--${name}`) && /^-\.?\d/.test(value);
