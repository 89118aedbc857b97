import * as z from 'zod';
import { type Effect, type Item, type Plan, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { scopedKey } from '../protocol/scope.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { owned } from './account.ts';
import { AccountId } from './account-id.ts';
import { Amount } from './money.ts';
import { NaturalId } from './natural-id.ts';

export const CreateOrder = z.object({ orderId: NaturalId, account: AccountId, amount: Amount });

/** An order's natural key: two callers may use the same order id. */
export const orderKey = (caller: string, orderId: string) => ({
  pk: `order#${scopedKey([caller, orderId])}`,
  sk: 'order',
});

type OrderInput = z.infer<typeof CreateOrder> & { readonly caller: string; readonly now: Milliseconds };

/**
 * Places an order under the caller's own id for it. That id is the key: placing it again meets the order, and no record
 * has to be kept beside it, nor does anything expire.
 *
 * @rule R34
 */
export function placeOrder(input: OrderInput): Plan {
  const { orderId, account, amount, caller, now } = input;
  const order: Item = {
    ...orderKey(caller, orderId),
    ...{ orderId, account, amount, caller },
    status: 'pending',
    createdAt: now,
  };
  return { effects: [placed(order), owned({ account, caller })], reply: { status: 201, body: orderView(order) } };
}

const placed = (order: Item): Effect => ({
  Put: { Item: order, ConditionExpression: 'attribute_not_exists(pk)' },
  refuse: (old) => (old === undefined ? undefined : meetOrder(order, old)),
});

/** The same order again is answered as it is by now; the same id for something else is a mistake of the caller's. */
function meetOrder(order: Item, old: Item): ReplyDraft | Refusal {
  const same = old.account === order.account && old.amount === order.amount;
  if (same) return { status: 200, body: orderView(old) };
  return refuse('order-differs', `Order ${order.orderId} exists with another account or amount.`);
}

/** What callers see of an order. */
export const orderView = ({ orderId, account, amount, status, createdAt, attemptId, paidAt }: Item) => ({
  ...{ orderId, account, amount, status },
  createdAt: new Date(Number(createdAt)),
  ...(attemptId !== undefined && { attemptId }),
  ...(paidAt !== undefined && { paidAt: new Date(Number(paidAt)) }),
});

export const orderNotFound = (orderId: string): Refusal => refuse('order-not-found', `There is no order ${orderId}.`);
