import { revokeApiKey } from '../http/api-keys.ts';
import { milliseconds } from '../protocol/time.ts';
import type { Command } from './command.ts';
import { findKeyTable, KEY_TABLE_HELP, KEY_TABLE_OPTIONS } from './key-table.ts';
import { CommandError } from './usage-error.ts';

/** `semel keys revoke`: makes an API key useless at once. */
export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Make an API key useless, at once and for replays too.',
  description: `Revokes an API key by its id. The next request with it is answered 401, even one whose answer is stored.
Revoking twice changes nothing. The caller's other keys go on working.

${KEY_TABLE_HELP}`,
  positionals: ['keyId'],
  options: KEY_TABLE_OPTIONS,
  examples: ['semel keys revoke key_019ad6a0-0000-7000-8000-000000000000'],
  async run(input, terminal) {
    const keyId = input.positionals[0] ?? '';
    const keys = findKeyTable(input);
    const now = milliseconds(Date.now());
    const revoked = await revokeApiKey(keys, { keyId, now });
    if (revoked === undefined) {
      throw new CommandError(
        `There is no API key ${keyId} in ${keys.description}. "semel keys list" shows which there are.`,
      );
    }
    const since = revoked.revokedAt === now ? 'is revoked' : 'was revoked already';
    terminal.explain(`API key ${keyId} of ${revoked.caller} ${since}.`);
  },
};
