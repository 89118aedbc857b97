import type * as z from 'zod';
import type { BookingPhase, LeasedOperation, Phase } from '../protocol/leased-operation.ts';
import { notBegun } from '../protocol/outside-call.ts';
import { type Item, type Plan, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey } from './account.ts';
import type { CreateCharge } from './create-charge.ts';
import { bookedAs, settledEntry } from './entry.ts';
import { creditHeld, giveBackRoom, holdRoom } from './hold.ts';
import { CREATE_CHARGE, PROVIDER_REMEMBERS } from './keyed-operations.ts';
import type { ChargeOrder, Provider, Reason, Receipt } from './provider.ts';

export type ChargeIntent = z.infer<typeof CreateCharge>;

export const chargeKey = (id: string) => ({ pk: `charge#${id}`, sk: 'charge' });

/** Charges a card at the provider and credits the caller's account with what was charged. */
export const chargeOperation = (provider: Provider): LeasedOperation<ChargeIntent, Receipt, Reason> => ({
  name: CREATE_CHARGE.operation,
  retention: CREATE_CHARGE.retention,
  calledAgainFor: PROVIDER_REMEMBERS,
  reserve: ({ intent, caller }) => ({ effects: [holdRoom({ ...intent, caller })] }),
  call: async (phase) => {
    const order = await orderCharge(phase);
    return order instanceof SemelError ? notBegun(order) : provider.charge(order, phase.signal);
  },
  lookUp: ({ intent, operation, signal }) =>
    provider.findCharge({ reference: operation.id, amount: intent.amount }, signal),
  settle: settleCharge,
  cancel: ({ intent }, reason) => ({
    effects: [giveBackRoom(intent)],
    reply: refuse('card-declined', `The provider declined the card: ${reason}.`),
  }),
});

/** The account's currency is the charge's. A store that does not answer keeps the call from beginning. */
async function orderCharge({ intent, operation, read }: Phase<ChargeIntent>): Promise<ChargeOrder | SemelError> {
  const { account, amount, source } = intent;
  try {
    const item = await read.get(accountKey(account));
    return { reference: operation.id, amount, currency: String(item?.currency), source };
  } catch (thrown) {
    if (thrown instanceof SemelError) return thrown;
    throw thrown;
  }
}

function settleCharge({ intent, caller, operation, bookedAt }: BookingPhase<ChargeIntent>, receipt: Receipt): Plan {
  const { account, amount } = intent;
  const booked = bookedAs(operation, bookedAt);
  const id = `ch_${operation.uuid}`;
  const charge = {
    ...chargeKey(id),
    ...{ id, caller, account, amount, refunded: 0, refundable: amount },
    ...{ status: 'succeeded', providerReference: receipt.id, operation: operation.id, createdAt: bookedAt },
  };
  return {
    effects: [
      creditHeld({ account, amount, entryUuid: booked.uuid }),
      settledEntry({ id, kind: 'charge', amount, creditAccount: account, caller, operation: booked }),
      { Put: { Item: charge } },
    ],
    reply: { status: 201, headers: { location: `/charges/${id}` }, body: chargeView(charge), resource: id },
  };
}

/** What callers see of a charge. */
const chargeView = ({ id, status, amount, refunded, providerReference }: Item) => ({
  id,
  status,
  amount,
  refunded,
  providerReference,
});

/** Reads the caller's own charge; somebody else's is as good as none. */
export async function ownCharge(id: string, caller: string, read: Reader): Promise<Item | undefined> {
  const item = await read.get(chargeKey(id));
  return item?.caller === caller ? item : undefined;
}

export async function showCharge(id: string, caller: string, read: Reader): Promise<ReplyDraft | Refusal> {
  const charge = await ownCharge(id, caller, read);
  if (charge === undefined) return chargeNotFound(id);
  return { status: 200, body: { ...chargeView(charge), account: charge.account } };
}

export const chargeNotFound = (id: string): Refusal => refuse('charge-not-found', `There is no charge ${id}.`);
