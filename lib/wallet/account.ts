import * as z from 'zod';
import { type Effect, type Item, type Plan, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { accountId } from './account-id.ts';
import { entry } from './entry.ts';
import { Amount, Currency, MAX_AMOUNT } from './money.ts';

export const CreateAccount = z.object({
  currency: Currency,
  openingBalance: Amount.optional(),
});

/** What is common to everything that an operation creates: who asked, under which operation, and when. */
export interface Origin {
  readonly caller: string;
  readonly operation: { readonly id: string; readonly uuid: string; readonly now: Milliseconds };
}

export const accountKey = (id: string) => ({ pk: `account#${id}`, sk: 'account' });

/** Opens an account, with an entry for its opening balance where it has one. */
export function createAccount(input: z.infer<typeof CreateAccount> & Origin): Plan {
  const { currency, openingBalance, caller, operation } = input;
  const id = accountId(operation.uuid, currency);
  const item = accountItem({ id, currency, caller, balance: openingBalance ?? 0, openedBy: operation });
  const opening = openingBalance === undefined ? [] : [openingEntry(id, openingBalance, { caller, operation })];
  const listed = opening.length > 0 && { lastCredit: operation.uuid };
  const account = { Put: { Item: { ...item, ...listed }, ConditionExpression: 'attribute_not_exists(pk)' } };
  return {
    effects: [account, ...opening],
    reply: {
      status: 201,
      headers: { location: `/accounts/${id}`, etag: etag(item) },
      body: accountView(item),
      resource: id,
    },
  };
}

/**
 * An account's item. Beside the booked `balance` it keeps what movements are checked against, since a condition cannot
 * subtract one attribute from another: `available`, the balance less what is held for refunds under way, and `room`, what
 * may still arrive, less what is held for charges under way. So a hold changes no balance that an entry would have to
 * explain, and a booked outcome always fits.
 */
export const accountItem = (account: {
  readonly id: string;
  readonly currency: string;
  readonly caller: string;
  readonly balance: number;
  readonly openedBy: Origin['operation'];
}): Item => ({
  ...accountKey(account.id),
  id: account.id,
  caller: account.caller,
  currency: account.currency,
  balance: account.balance,
  available: account.balance,
  room: MAX_AMOUNT - account.balance,
  credits: 0,
  version: 1,
  createdAt: account.openedBy.now,
});

export const openingEntry = (id: string, amount: number, origin: Origin): Effect =>
  entry({ id, kind: 'opening', amount, creditAccount: id, ...origin });

/** What callers see of an account. */
const accountView = ({ id, currency, balance, credits, version, displayName }: Item) => ({
  id,
  currency,
  balance,
  credits,
  version,
  displayName,
});

/** The validator of an account's state (RFC 9110, section 8.8.3): every change of the account changes it. */
export const etag = ({ version }: Item): string => `"${version}"`;

/** Reads the caller's own account; somebody else's is as good as none. */
export async function ownAccount(id: string, caller: string, read: Reader): Promise<Item | undefined> {
  const item = await read.get(accountKey(id));
  return item?.caller === caller ? item : undefined;
}

/** That the account is the caller's is a condition of the same transaction: no look before it could be outdated (R4). */
export const owned = ({ account, caller }: { readonly account: string; readonly caller: string }): Effect => ({
  ConditionCheck: {
    Key: accountKey(account),
    ConditionExpression: 'caller = :caller',
    ExpressionAttributeValues: { ':caller': caller },
  },
  refuse: () => accountNotFound(account),
});

export async function showAccount(id: string, caller: string, read: Reader): Promise<ReplyDraft | Refusal> {
  const account = await ownAccount(id, caller, read);
  if (account === undefined) return accountNotFound(id);
  return { status: 200, headers: { etag: etag(account) }, body: accountView(account) };
}

export const accountNotFound = (id: string): Refusal => refuse('account-not-found', `There is no account ${id}.`);

export const insufficientFunds = (account: string, { available }: Item, amount: number): Refusal =>
  refuse('insufficient-funds', `Account ${account} has ${available} available; ${amount} is needed.`);

export const balanceLimit = (account: string, amount: number): Refusal =>
  refuse('balance-limit', `Account ${account} cannot hold ${amount} more.`);

/** What a movement says of an account beside the amount. */
interface Movement {
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  /** The UUID of the entry that books it. */
  readonly entryUuid: string;
}

/**
 * Takes an amount from the caller's account.
 * Not the caller's or not there: `account-not-found`; too little: `insufficient-funds`; another currency: plan anew.
 */
export const debit = ({ account, amount, currency, entryUuid, caller }: Movement & { caller: string }): Effect => ({
  Update: {
    Key: accountKey(account),
    UpdateExpression:
      'SET balance = balance - :amount, available = available - :amount, room = room + :amount, ' +
      '#version = #version + :one, lastDebit = :entry',
    ConditionExpression: 'caller = :caller AND currency = :currency AND available >= :amount',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: {
      ':amount': amount,
      ':one': 1,
      ':entry': entryUuid,
      ':caller': caller,
      ':currency': currency,
    },
  },
  refuse: (old) => {
    if (old?.caller !== caller) return accountNotFound(account);
    if (old.currency !== currency) return undefined;
    return insufficientFunds(account, old, amount);
  },
});

/** Adds an amount to anyone's account. Not there: `account-not-found`; too much: `balance-limit`. */
export const credit = ({ account, amount, currency, entryUuid }: Movement): Effect => ({
  Update: {
    Key: accountKey(account),
    UpdateExpression:
      'SET balance = balance + :amount, available = available + :amount, room = room - :amount, ' +
      '#version = #version + :one, lastCredit = :entry',
    ConditionExpression: 'currency = :currency AND room >= :amount',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: {
      ':amount': amount,
      ':one': 1,
      ':entry': entryUuid,
      ':currency': currency,
    },
  },
  refuse: (old) => {
    if (old === undefined) return accountNotFound(account);
    if (old.currency !== currency) {
      return refuse('currency-mismatch', `Account ${account} is in ${old.currency}, not ${currency}.`);
    }
    return balanceLimit(account, amount);
  },
});
