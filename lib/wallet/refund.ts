import type { BookingPhase, LeasedOperation, Phase, Reservation } from '../protocol/leased-operation.ts';
import { notBegun } from '../protocol/outside-call.ts';
import { type Effect, type Item, type Plan, type Refusal, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { chargeKey, chargeNotFound, ownCharge } from './charge.ts';
import { bookedAs, settledEntry } from './entry.ts';
import { debitHeld, giveBackFunds, holdFunds } from './hold.ts';
import { CREATE_REFUND, PROVIDER_REMEMBERS } from './keyed-operations.ts';
import type { Provider, Reason, Receipt } from './provider.ts';

/** Which charge, and how much of it: all that is left where no amount is given. */
export interface RefundIntent {
  readonly charge: string;
  readonly amount?: number | undefined;
}

const refundKey = (id: string) => ({ pk: `refund#${id}`, sk: 'refund' });

/** Gives a charge back, in whole or in part, and debits the account that it was credited to. */
export const refundOperation = (provider: Provider): LeasedOperation<RefundIntent, Receipt, Reason> => ({
  name: CREATE_REFUND.operation,
  retention: CREATE_REFUND.retention,
  calledAgainFor: PROVIDER_REMEMBERS,
  reserve: reserveRefund,
  call: (phase) => withRefund(phase, (order) => provider.refund(order, phase.signal)),
  lookUp: (phase) => withRefund(phase, (order) => provider.findRefund(order, phase.signal)),
  settle: settleRefund,
  cancel: cancelRefund,
});

/**
 * Holds the amount twice, on the charge and on the account, so that of two full refunds only one reaches the provider
 * and neither can overdraw the account. The refund itself is written too: from here on its amount is fixed, even where
 * the request left it open.
 */
async function reserveRefund({ intent, caller, operation, read }: Phase<RefundIntent>): Promise<Reservation> {
  const charge = await ownCharge(intent.charge, caller, read);
  if (charge === undefined) return chargeNotFound(intent.charge);
  const amount = intent.amount ?? Number(charge.refundable);
  if (amount === 0) return exceeds(charge, amount);
  const id = `re_${operation.uuid}`;
  const { id: chargeId, account, providerReference } = charge;
  const refund = {
    ...refundKey(id),
    ...{ id, caller, charge: chargeId, account, amount, providerCharge: providerReference },
    ...{ status: 'pending', operation: operation.id, createdAt: operation.now },
  };
  return {
    effects: [
      holdRefundable(intent, amount, caller),
      holdFunds({ account: String(account), amount }),
      { Put: { Item: refund, ConditionExpression: 'attribute_not_exists(pk)' } },
    ],
  };
}

/** Where the amount was left open, it is all that is left, as it was seen: where that has changed, look again. */
const holdRefundable = (intent: RefundIntent, amount: number, caller: string): Effect => ({
  Update: {
    Key: chargeKey(intent.charge),
    UpdateExpression: 'SET refundable = refundable - :amount',
    ConditionExpression: `caller = :caller AND refundable ${intent.amount === undefined ? '=' : '>='} :amount`,
    ExpressionAttributeValues: { ':amount': amount, ':caller': caller },
  },
  refuse: (old) => {
    if (old?.caller !== caller) return chargeNotFound(intent.charge);
    return intent.amount === undefined ? undefined : exceeds(old, amount);
  },
});

const exceeds = ({ id, refundable }: Item, amount: number): Refusal =>
  refuse(
    'refund-exceeds-charge',
    refundable === 0
      ? `Nothing is left of charge ${id}.`
      : `Of charge ${id}, ${refundable} can be refunded; ${amount} was asked for.`,
  );

/** What was reserved, as the later phases need it. */
interface Refund {
  readonly id: string;
  readonly charge: string;
  readonly account: string;
  readonly amount: number;
  readonly providerCharge: string;
}

/** The refund was written together with the claim, so it is there. */
async function reservedRefund({ operation, read }: Phase<RefundIntent>): Promise<Refund> {
  const item = await read.get(refundKey(`re_${operation.uuid}`));
  if (item === undefined) throw new SemelError('internal-error', `The refund of ${operation.id} was never reserved.`);
  return item as unknown as Refund;
}

/** A store that does not answer keeps the call from beginning. */
async function withRefund<Known>(
  phase: Phase<RefundIntent>,
  call: (order: { reference: string; charge: string; amount: number }) => Promise<Known>,
): Promise<Known | ReturnType<typeof notBegun>> {
  let refund: Refund;
  try {
    refund = await reservedRefund(phase);
  } catch (thrown) {
    if (thrown instanceof SemelError && thrown.code === 'store-unavailable') return notBegun(thrown);
    throw thrown;
  }
  return call({ reference: phase.operation.id, charge: refund.providerCharge, amount: refund.amount });
}

async function settleRefund(phase: BookingPhase<RefundIntent>, receipt: Receipt): Promise<Plan> {
  const { caller, operation, bookedAt } = phase;
  const { id, charge, account, amount } = await reservedRefund(phase);
  const booked = bookedAs(operation, bookedAt);
  return {
    effects: [
      debitHeld({ account, amount, entryUuid: booked.uuid }),
      settledEntry({ id, kind: 'refund', amount, debitAccount: account, caller, operation: booked }),
      changeCharge(charge, 'refunded = refunded + :amount', amount),
      finishRefund(id, 'succeeded', receipt.id),
    ],
    reply: { status: 201, body: { id, charge, amount, status: 'succeeded' }, resource: id },
  };
}

async function cancelRefund(phase: BookingPhase<RefundIntent>, reason: Reason) {
  const { id, charge, account, amount } = await reservedRefund(phase);
  return {
    effects: [
      giveBackFunds({ account, amount }),
      changeCharge(charge, 'refundable = refundable + :amount', amount),
      finishRefund(id, 'declined'),
    ],
    reply: refuse('card-declined', `The provider declined the refund: ${reason}.`),
  };
}

const changeCharge = (charge: string, set: string, amount: number): Effect => ({
  Update: {
    Key: chargeKey(charge),
    UpdateExpression: `SET ${set}`,
    ExpressionAttributeValues: { ':amount': amount },
  },
});

const finishRefund = (id: string, status: string, providerReference?: string): Effect => ({
  Update: {
    Key: refundKey(id),
    UpdateExpression: `SET #status = :status${providerReference === undefined ? '' : ', providerReference = :reference'}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ...(providerReference && { ':reference': providerReference }) },
  },
});
