import { type ApiKey, listApiKeys } from '../http/api-keys.ts';
import type { Milliseconds } from '../protocol/time.ts';
import type { Command } from './command.ts';
import { findKeyTable, KEY_TABLE_HELP, KEY_TABLE_OPTIONS } from './key-table.ts';
import { textTable } from './text-table.ts';

/** `semel keys list`: which API keys there are, without the keys themselves. */
export const keysList: Command = {
  name: 'keys list',
  summary: 'List the API keys, revoked ones too.',
  description: `Lists id, caller, creation and revocation of every API key, oldest first. The keys themselves are not stored.

${KEY_TABLE_HELP}`,
  positionals: [],
  options: KEY_TABLE_OPTIONS,
  examples: ['semel keys list'],
  async run(input, terminal) {
    const keys = findKeyTable(input);
    const found = await listApiKeys(keys);
    terminal.explain(`${found.length} API ${found.length === 1 ? 'key' : 'keys'} in ${keys.description}`);
    if (found.length > 0) terminal.print(asTable(found));
  },
};

const asTable = (keys: readonly ApiKey[]): string =>
  textTable([
    ['id', 'caller', 'created', 'revoked'],
    ...keys.map((key) => [key.keyId, key.caller, timeOf(key.createdAt), timeOf(key.revokedAt)]),
  ]);

const timeOf = (time: Milliseconds | undefined): string => (time === undefined ? '-' : new Date(time).toISOString());
