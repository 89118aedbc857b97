import * as z from 'zod';
import type { MessagePlan, OutgoingMessage } from '../protocol/message.ts';
import type { Refusal } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { accountNotFound, credit, ownAccount } from './account.ts';
import { AccountId } from './account-id.ts';
import { entry } from './entry.ts';
import { Amount, Currency } from './money.ts';
import { settlementLine } from './settle.ts';

const EVENT_ID = 'must be 1 to 255 printable ASCII characters that name this deposit whenever it is sent';

const EventId = z.string({ error: EVENT_ID }).regex(/^[\x20-\x7e]{1,255}$/, { error: EVENT_ID });

export const CreateDeposit = z.object({ eventId: EventId, account: AccountId, amount: Amount });

/** A deposit on its way: the account's currency is read when it is accepted, so that crediting it needs no read. */
export const DepositMessage = CreateDeposit.extend({ currency: Currency });

/** Accepts a deposit to one of the caller's own accounts; the queue does the rest. */
export async function acceptDeposit({
  body,
  caller,
  read,
}: {
  readonly body: z.infer<typeof CreateDeposit>;
  readonly caller: string;
  readonly read: Reader;
}): Promise<OutgoingMessage | Refusal> {
  const account = await ownAccount(body.account, caller, read);
  if (account === undefined) return accountNotFound(body.account);
  const message: z.infer<typeof DepositMessage> = { ...body, currency: String(account.currency) };
  return { body: message, eventId: body.eventId, source: caller };
}

/** Credits a deposit: money from outside, booked under its event id. */
export function deposit({
  body: { account, amount, currency },
  event: { id, uuid, source, now },
}: {
  readonly body: z.infer<typeof DepositMessage>;
  readonly event: {
    readonly id: string;
    readonly uuid: string;
    /** The caller who deposits: event ids are unique within it. */
    readonly source: string;
    readonly now: Milliseconds;
  };
}): MessagePlan {
  const booking = { id: `dep_${uuid}`, kind: 'deposit', amount, creditAccount: account } as const;
  return {
    effects: [
      credit({ account, amount, currency, entryUuid: uuid }),
      entry({ ...booking, caller: source, operation: { id, uuid, now } }),
      settlementLine({ uuid, amount, currency, now }),
    ],
  };
}
