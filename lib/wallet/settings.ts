import * as z from 'zod';
import { type Planned, refuse } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, accountNotFound, etag, ownAccount } from './account.ts';

const DISPLAY_NAME = 'must be a text of 1 to 100 characters';

export const PutSettings = z.object({
  displayName: z.string({ error: DISPLAY_NAME }).min(1, { error: DISPLAY_NAME }).max(100, { error: DISPLAY_NAME }),
});

interface SettingsInput extends z.infer<typeof PutSettings> {
  readonly account: string;
  readonly caller: string;
  /** Every `If-Match` header of the request. */
  readonly ifMatch: readonly string[];
}

/**
 * Changes an account's settings, but only in the version that the caller has seen: of two changes made at once the
 * second is told, and a change that is sent twice is applied once.
 *
 * @rule R35
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export async function putSettings(input: SettingsInput, read: Reader): Promise<Planned> {
  const { account, caller, displayName, ifMatch } = input;
  const found = await ownAccount(account, caller, read);
  if (found === undefined) return accountNotFound(account);
  if (ifMatch.length === 0) {
    return refuse('precondition-required', `Send If-Match with the ETag of /accounts/${account}.`);
  }
  const current = etag(found);
  if (!matches(ifMatch, current)) {
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

/** A list of entity tags, or `*` for whatever is there; a weak tag never matches, since it does not name one state. */
function matches(ifMatch: readonly string[], current: string): boolean {
  const tags = ifMatch.join(',').match(/\*|(?:W\/)?"[\x21\x23-\x7e]*"/g) ?? [];
  return tags.some((tag) => tag === '*' || tag === current);
}
