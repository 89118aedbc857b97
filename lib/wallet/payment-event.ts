import * as z from 'zod';
import { ALREADY_APPLIED, type MessagePlan } from '../protocol/message.ts';
import { type Item, refuse } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { accountKey, credit } from './account.ts';
import { AccountId } from './account-id.ts';
import { entry } from './entry.ts';
import { Amount } from './money.ts';
import { NaturalId } from './natural-id.ts';

const SUCCEEDED = 'payment.succeeded';

export const PaymentEvent = z.object({
  type: z.literal(SUCCEEDED),
  data: z.object({ id: NaturalId, account: AccountId, amount: Amount }),
});

/** Is this an event that credits somebody? A provider sends many that do not. */
export const isPaymentEvent = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && 'type' in event && event.type === SUCCEEDED;

interface ReceivedEvent {
  readonly id: string;
  readonly uuid: string;
  readonly now: Milliseconds;
}

/**
 * Credits a payment to its account. The payment's own id names the entry, so a payment that two providers report, under
 * event ids of their own, is booked once.
 *
 * @rule R34
 */
export async function receivePayment(
  { data }: z.infer<typeof PaymentEvent>,
  event: ReceivedEvent,
  read: Reader,
): Promise<MessagePlan> {
  const { id, account, amount } = data;
  const found = await read.get(accountKey(account));
  if (found === undefined) return refuse('message-refused', `There is no account ${account} to credit.`);
  const booked = entry({
    ...{ id: `pay_${id}`, kind: 'payment', amount, creditAccount: account },
    caller: String(found.caller),
    operation: { id: event.id, uuid: event.uuid, now: event.now },
  });
  return {
    effects: [
      // First: when it is booked already, it does not matter whether the account could take it once more.
      { ...booked, refuse: (old) => metPayment(data, old) },
      credit({ account, amount, currency: String(found.currency), entryUuid: event.uuid }),
    ],
  };
}

function metPayment({ id, account, amount }: z.infer<typeof PaymentEvent>['data'], old: Item | undefined) {
  if (old === undefined) return undefined;
  if (old.creditAccount === account && old.amount === amount) return ALREADY_APPLIED;
  return refuse('event-id-reused', `Payment ${id} is booked with another account or amount.`);
}
