import fc from 'fast-check';
import type { Effect } from '../../lib/protocol/plan.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { accountKey, credit, debit } from '../../lib/wallet/account.ts';
import { entry, entryKey, settledEntry } from '../../lib/wallet/entry.ts';
import { creditHeld, debitHeld, giveBackFunds, giveBackRoom, holdFunds, holdRoom } from '../../lib/wallet/hold.ts';

/** An effect of the wallet on items of one run. */
export interface MadeEffect {
  /** What it writes: a plan has at most one effect for each. */
  readonly item: string;
  readonly effect: (run: string, step: number) => Effect;
}

const account = fc.constantFrom('a', 'b', 'b', 'missing');
const amount = fc.integer({ min: 1, max: 7 });
const caller = fc.constantFrom('alice', 'alice', 'bob');
const currency = fc.constantFrom('EUR', 'EUR', 'USD');

const onAccount = (make: (on: { account: string; amount: number; entryUuid: string }) => Effect) =>
  fc.tuple(account, amount).map(
    ([name, sum]): MadeEffect => ({
      item: name,
      effect: (run, step) => make({ account: `${run}-${name}`, amount: sum, entryUuid: `u${step}` }),
    }),
  );

const moved = fc.tuple(fc.boolean(), account, amount, caller, currency).map(
  ([takes, name, sum, by, money]): MadeEffect => ({
    item: name,
    effect: (run, step) => {
      const movement = { account: `${run}-${name}`, amount: sum, currency: money, entryUuid: `u${step}` };
      return takes ? debit({ ...movement, caller: by }) : credit(movement);
    },
  }),
);

const booked = fc.tuple(fc.constantFrom('1', '2', '3', '4'), fc.boolean()).map(
  ([id, settled]): MadeEffect => ({
    item: `entry ${id}`,
    effect: (run, step) =>
      (settled ? settledEntry : entry)({
        ...{ id: `${run}-${id}`, kind: 'transfer', amount: 1, debitAccount: `${run}-a`, creditAccount: `${run}-b` },
        // By the entry's id too: an index orders entries of one time as it likes.
        ...{ caller: 'alice', operation: { id: 'op', uuid: `u${step}${id}`, now: milliseconds(step) } },
      }),
  }),
);

/** The forms that only some of the wallet's effects have, which cannot be had without a whole plan. */
const FORMS: readonly ((run: string, step: number) => Effect)[] = [
  (run) => ({
    ConditionCheck: {
      Key: accountKey(`${run}-a`),
      ConditionExpression: 'available < :amount',
      ExpressionAttributeValues: { ':amount': 5 },
    },
  }),
  (run) => ({
    Update: {
      Key: accountKey(`${run}-a`),
      UpdateExpression: 'SET settledAt = if_not_exists(settledAt, :now) REMOVE lastCredit',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':now': 5 },
    },
  }),
  (run, step) => ({
    Put: {
      Item: { ...accountKey(`${run}-a`), credits: step, deleted: step % 2 === 0 ? true : undefined },
      ConditionExpression: 'credits = :before AND attribute_not_exists(deleted)',
      ExpressionAttributeValues: { ':before': 0 },
    },
  }),
  (run) => ({
    Delete: {
      Key: accountKey(`${run}-a`),
      ConditionExpression: '(NOT caller = :caller OR balance <> :none) AND balance BETWEEN :none AND :few',
      ExpressionAttributeValues: { ':caller': 'alice', ':none': 0, ':few': 4 },
    },
  }),
  (run) => ({ Delete: { Key: entryKey(`${run}-a`) } }),
];

/** Any effect. */
export const EFFECTS: fc.Arbitrary<MadeEffect> = fc.oneof(
  { weight: 4, arbitrary: moved },
  { weight: 3, arbitrary: booked },
  {
    weight: 4,
    arbitrary: fc.oneof(
      ...[creditHeld, giveBackRoom, holdFunds, debitHeld, giveBackFunds].map((make) => onAccount(make)),
      onAccount((on) => holdRoom({ ...on, caller: 'alice' })),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...FORMS.map((effect): MadeEffect => ({ item: 'a', effect }))) },
);
