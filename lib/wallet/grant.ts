import * as z from 'zod';
import { type Effect, type Item, type Plan, type Planned, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, accountNotFound, ownAccount, owned } from './account.ts';
import { MAX_AMOUNT } from './money.ts';
import { NaturalId } from './natural-id.ts';

const CREDITS = 'must be an integer number of credits from 0 to 9007199254740991';

export const PutGrant = z.object({
  credits: z.int({ error: CREDITS }).min(0, { error: CREDITS }).max(MAX_AMOUNT, { error: CREDITS }),
});

/** Which grant of whose account. */
interface GrantAddress {
  readonly account: string;
  readonly grantId: string;
  readonly caller: string;
}

/** A grant lives beside its account; once deleted it leaves a tombstone there. */
const grantKey = ({ account, grantId }: GrantAddress) => ({ pk: accountKey(account).pk, sk: `grant#${grantId}` });

/**
 * Sets a grant to a number of credits. "Set to 5" can be said any number of times, where "add 5" could not; and once the
 * grant is deleted, a PUT that was delayed on its way meets the tombstone instead of bringing it back.
 *
 * @rule R37
 */
export async function putGrant(input: GrantAddress & z.infer<typeof PutGrant>, read: Reader): Promise<Planned> {
  const { account, grantId, credits } = input;
  const found = await find(input, read);
  if (found === undefined) return accountNotFound(account);
  const { grant } = found;
  if (grant?.deleted) return refuse('grant-deleted', `Grant ${grantId} was deleted; use another id for a new one.`);
  const reply = { status: grant === undefined ? 201 : 200, body: { id: grantId, account, credits } };
  if (grant?.credits === credits) return reply;
  const before = Number(grant?.credits ?? 0);
  return changeGrant(input, grant, { credits }, reply, credits - before);
}

/**
 * Deletes a grant, whether it was ever put or not: what counts is that no grant of this id comes after.
 *
 * @rule R37
 */
export async function deleteGrant(input: GrantAddress, read: Reader): Promise<Planned> {
  const found = await find(input, read);
  if (found === undefined) return accountNotFound(input.account);
  const { grant } = found;
  const reply = { status: 204 };
  if (grant?.deleted) return reply;
  return changeGrant(input, grant, { deleted: true }, reply, -Number(grant?.credits ?? 0));
}

/** @throws SemelError `invalid-query` for a grant id that cannot name an item */
async function find(address: GrantAddress, read: Reader) {
  if (!NaturalId.safeParse(address.grantId).success) {
    throw new SemelError('invalid-query', 'A grant id has 1 to 128 letters, digits and . _ ~ : -');
  }
  const [account, grant] = await Promise.all([
    ownAccount(address.account, address.caller, read),
    read.get(grantKey(address)),
  ]);
  return account && { grant };
}

function changeGrant(
  address: GrantAddress,
  before: Item | undefined,
  after: Item,
  reply: Plan['reply'],
  change: number,
): Plan {
  return { effects: [replaced(grantKey(address), before, after), moveCredits(address, change)], reply };
}

/** Over what was read, or planned anew. */
const replaced = (key: Item, before: Item | undefined, after: Item): Effect => ({
  Put: {
    Item: { ...key, ...after },
    ...(before === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'credits = :before AND attribute_not_exists(deleted)',
          ExpressionAttributeValues: { ':before': before.credits },
        }),
  },
});

/** The account's credits are the sum of its grants. Nothing to move is no write, but still the owner's alone to say. */
function moveCredits(address: GrantAddress, change: number): Effect {
  if (change === 0) return owned(address);
  const { account, caller } = address;
  return {
    Update: {
      Key: accountKey(account),
      UpdateExpression: 'SET credits = credits + :change, #version = #version + :one',
      ConditionExpression: 'caller = :caller AND credits <= :room',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: {
        ':change': change,
        ':one': 1,
        ':caller': caller,
        ':room': MAX_AMOUNT - Math.max(change, 0),
      },
    },
    refuse: (old) =>
      old?.caller === caller
        ? refuse('balance-limit', `Account ${account} cannot hold ${change} more credits.`)
        : accountNotFound(account),
  };
}
