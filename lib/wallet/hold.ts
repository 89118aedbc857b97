import type { Effect, Item } from '../protocol/plan.ts';
import { accountKey, accountNotFound, balanceLimit, insufficientFunds } from './account.ts';

/** An amount that an account holds ready for an outcome that is not known yet. */
interface Hold {
  readonly account: string;
  readonly amount: number;
}

/** A hold whose outcome is known, with the UUID of the entry that books it. */
interface Booked extends Hold {
  readonly entryUuid: string;
}

/**
 * Holds room for an amount that is to arrive in the caller's account.
 * Not the caller's or not there: `account-not-found`; no room: `balance-limit`.
 */
export const holdRoom = ({ account, amount, caller }: Hold & { readonly caller: string }): Effect => ({
  ...update(account, 'room = room - :amount', { ':amount': amount, ':caller': caller }, ROOM),
  refuse: (old) => (old?.caller === caller ? balanceLimit(account, amount) : accountNotFound(account)),
});

/** Adds the amount that room was held for. */
export const creditHeld = ({ account, amount, entryUuid }: Booked): Effect =>
  update(account, 'balance = balance + :amount, available = available + :amount, lastCredit = :entry', {
    ':amount': amount,
    ':entry': entryUuid,
  });

/** Gives back the room for an amount that will not arrive. */
export const giveBackRoom = ({ account, amount }: Hold): Effect =>
  update(account, 'room = room + :amount', { ':amount': amount });

/** Holds an amount that is to leave an account. Too little: `insufficient-funds`. */
export const holdFunds = ({ account, amount }: Hold): Effect => ({
  ...update(account, 'available = available - :amount', { ':amount': amount }, FUNDS),
  refuse: (old) => (old === undefined ? accountNotFound(account) : insufficientFunds(account, old, amount)),
});

/** Takes the amount that was held. */
export const debitHeld = ({ account, amount, entryUuid }: Booked): Effect =>
  update(account, 'balance = balance - :amount, room = room + :amount, lastDebit = :entry', {
    ':amount': amount,
    ':entry': entryUuid,
  });

/** Gives back an amount that will not leave. */
export const giveBackFunds = ({ account, amount }: Hold): Effect =>
  update(account, 'available = available + :amount', { ':amount': amount });

const ROOM = 'caller = :caller AND room >= :amount';
const FUNDS = 'available >= :amount';

/** Only holding is conditional: what was held can always be booked or given back. */
const update = (account: string, set: string, values: Item, condition?: string): Effect => ({
  Update: {
    Key: accountKey(account),
    UpdateExpression: `SET ${set}, #version = #version + :one`,
    ...(condition !== undefined && { ConditionExpression: condition }),
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ...values, ':one': 1 },
  },
});
