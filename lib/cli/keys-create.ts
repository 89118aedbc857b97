import { createApiKey, reservedName } from '../http/api-keys.ts';
import { isReserved } from '../protocol/scope.ts';
import { milliseconds } from '../protocol/time.ts';
import { type Command, textOption } from './command.ts';
import { findKeyTable, KEY_TABLE_HELP, KEY_TABLE_OPTIONS } from './key-table.ts';
import { UsageError } from './usage-error.ts';

/** A caller's name goes into logs and lists: printable, one line, no longer than a line. */
const CALLER = /^[\p{L}\p{N}][\p{L}\p{N}._@:-]{0,63}$/u;

/** `semel keys create`: makes an API key and prints it, this once. */
export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Make an API key for a caller and print it.',
  description: `Makes an API key. The caller is whose requests it authenticates: accounts and idempotency keys belong to callers,
and one caller may have several API keys. The key is printed once and stored only as a hash: keep it.

${KEY_TABLE_HELP}`,
  positionals: [],
  options: {
    caller: { type: 'string', value: '<name>', help: 'Whose key it is (required).' },
    ...KEY_TABLE_OPTIONS,
  },
  examples: ['semel keys create --caller carol', 'KEY=$(semel keys create --caller carol)   # only the key is printed'],
  async run(input, terminal) {
    const caller = textOption(input, 'caller');
    if (caller === undefined) throw new UsageError('Whose key is it? Say so with --caller <name>.');
    if (!CALLER.test(caller)) {
      throw new UsageError(`"${caller}" is not a caller's name: 1 to 64 letters, digits or . _ @ : - are.`);
    }
    if (isReserved(caller)) throw new UsageError(reservedName(caller));
    const keys = findKeyTable(input);
    const created = await createApiKey(keys, { caller, now: milliseconds(Date.now()) });
    terminal.explain(`API key ${created.keyId} of ${caller}, in ${keys.description}. It is shown only now:`);
    terminal.print(created.key);
  },
};
