import * as z from 'zod';
import type { Effect, Item, Plan, Planned, ReplyDraft } from '../protocol/plan.ts';
import { problemReply } from '../protocol/problem-reply.ts';
import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { accountKey, debit, insufficientFunds } from './account.ts';
import { entry } from './entry.ts';
import { NaturalId } from './natural-id.ts';
import { orderKey, orderNotFound, orderView } from './order.ts';

export const PayOrder = z.object({ attemptId: NaturalId });

interface PaymentInput extends z.infer<typeof PayOrder> {
  readonly orderId: string;
  readonly caller: string;
  readonly request: { readonly uuid: string; readonly now: Milliseconds };
}

/** What a plan to pay is made from. */
interface Found {
  readonly order: Item;
  readonly attempt: Item | undefined;
  readonly account: Item;
}

/**
 * Pays a pending order out of its account, whoever comes first; a second pay finds it paid and changes nothing. The
 * attempt's id is a natural key too: an attempt that was refused stays refused, so that a late resend of it cannot pay
 * what the customer was told is not paid. Every step is read first and held by a condition, or planned anew.
 *
 * @rule R34
 * @rule R36
 */
export async function payOrder(input: PaymentInput, read: Reader): Promise<Planned> {
  const found = NaturalId.safeParse(input.orderId).success ? await find(input, read) : undefined;
  if (found === undefined) return orderNotFound(input.orderId);
  const { order, attempt, account } = found;
  if (order.status === 'paid') return { status: 200, body: orderView(order) };
  // An attempt that paid after the order was read is not refused: the plan fails on it, and the next one reads both anew.
  if (attempt?.status === 'refused') return declined(String(attempt.detail));
  return Number(account.available) >= Number(order.amount) ? pay(input, found) : decline(input, found);
}

async function find({ orderId, attemptId, caller }: PaymentInput, read: Reader): Promise<Found | undefined> {
  const [order, attempt] = await Promise.all([
    read.get(orderKey(caller, orderId)),
    read.get(attemptKey(caller, orderId, attemptId)),
  ]);
  if (order === undefined) return undefined;
  const account = await read.get(accountKey(String(order.account)));
  return account && { order, attempt, account };
}

function pay({ orderId, attemptId, caller, request }: PaymentInput, { order, account }: Found): Plan {
  const { uuid, now } = request;
  const amount = Number(order.amount);
  const debitAccount = String(order.account);
  const movement = { account: debitAccount, amount, currency: String(account.currency), entryUuid: uuid };
  const operation = { id: orderId, uuid, now };
  return {
    effects: [
      becomePaid(order, attemptId, now),
      remember({ ...attemptKey(caller, orderId, attemptId), orderId, attemptId, status: 'paid' }),
      planAnew(debit({ ...movement, caller })),
      entry({ id: `ord_${uuid}`, kind: 'order', amount, debitAccount, caller, operation }),
    ],
    reply: { status: 200, body: orderView({ ...order, status: 'paid', attemptId, paidAt: now }) },
  };
}

/** The one step of the state machine: from `pending`, and from nowhere else. */
const becomePaid = ({ pk, sk }: Item, attemptId: string, now: Milliseconds): Effect => ({
  Update: {
    Key: { pk, sk },
    UpdateExpression: 'SET #status = :paid, attemptId = :attempt, paidAt = :now',
    ConditionExpression: '#status = :pending',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':paid': 'paid', ':pending': 'pending', ':attempt': attemptId, ':now': now },
  },
});

/**
 * The refusal is final once this is written, and only while the order is pending and there is still too little (R16).
 * Order and account were read one after the other: perhaps the account holds too little because the order is paid.
 */
function decline({ orderId, attemptId, caller }: PaymentInput, { order, account }: Found): Plan {
  const { detail } = insufficientFunds(String(order.account), account, Number(order.amount));
  return {
    effects: [
      remember({ ...attemptKey(caller, orderId, attemptId), orderId, attemptId, status: 'refused', detail }),
      stillPending(order),
      stillTooLittle(order),
    ],
    reply: declined(detail),
  };
}

const remember = (attempt: Item): Effect => ({
  Put: { Item: attempt, ConditionExpression: 'attribute_not_exists(pk)' },
});

const stillPending = ({ pk, sk }: Item): Effect => ({
  ConditionCheck: {
    Key: { pk, sk },
    ConditionExpression: '#status = :pending',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':pending': 'pending' },
  },
});

const stillTooLittle = ({ account, amount }: Item): Effect => ({
  ConditionCheck: {
    Key: accountKey(String(account)),
    ConditionExpression: 'available < :amount',
    ExpressionAttributeValues: { ':amount': amount },
  },
});

/** An attempt lives beside its order. */
const attemptKey = (caller: string, orderId: string, attemptId: string) => ({
  pk: orderKey(caller, orderId).pk,
  sk: `attempt#${attemptId}`,
});

/** What its condition says is known from the reads already; that it fails says that they are outdated. */
const planAnew = ({ refuse: _, ...effect }: Effect): Effect => effect as Effect;

const declined = (detail: string): ReplyDraft => problemReply({ code: 'insufficient-funds', detail });
