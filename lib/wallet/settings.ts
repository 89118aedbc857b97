import * as z from 'zod';
import { type Planned, refuse } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, accountNotFound, etag, ownAccount } from './account.ts';
import { matchesEtag } from './if-match.ts';

const DISPLAY_NAME = 'must be a text of 1 to 100 characters';

export const PutSettings = z.object({
  displayName: z.string({ error: DISPLAY_NAME }).min(1, { error: DISPLAY_NAME }).max(100, { error: DISPLAY_NAME }),
});

const MALFORMED = 'If-Match is neither * nor a list of entity tags such as "1", so it matches no version.';

interface SettingsInput extends z.infer<typeof PutSettings> {
  readonly account: string;
  readonly caller: string;
  /** Every `If-Match` header of the request. */
  readonly ifMatch: readonly string[];
}

/**
 * Changes an account's settings, but only in the version that the caller has seen: of two changes made at once the
 * second is told, and a change that is sent twice is applied once. What is no `If-Match` at all names no version either.
 *
 * @rule R35
 */
export async function putSettings(input: SettingsInput, read: Reader): Promise<Planned> {
  const { account, caller, displayName, ifMatch } = input;
  const found = await ownAccount(account, caller, read);
  if (found === undefined) return accountNotFound(account);
  if (ifMatch.length === 0) {
    return refuse('precondition-required', `Send If-Match with the ETag of /accounts/${account}.`);
  }
  const current = etag(found);
  const matches = matchesEtag(ifMatch, current);
  if (matches === undefined) return refuse('precondition-failed', MALFORMED);
  if (!matches) {
    return refuse('precondition-failed', `The account is at ${current} by now. Read it again before you change it.`);
  }
  const version = Number(found.version);
  return {
    effects: [
      {
        Update: {
          Key: accountKey(account),
          UpdateExpression: 'SET displayName = :name, #version = :next',
          // Still what was compared; if not, the comparison is made anew.
          ConditionExpression: '#version = :version',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':name': displayName, ':version': version, ':next': version + 1 },
        },
      },
    ],
    reply: { status: 200, headers: { etag: etag({ version: version + 1 }) }, body: { displayName } },
  };
}
