import * as z from 'zod';
import { type Plan, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import { accountKey, credit, debit, type Origin } from './account.ts';
import { AccountId, currencyHint } from './account-id.ts';
import { entry, entryKey } from './entry.ts';
import { DEFAULT_LIMIT, tellOfLarge } from './large-transfer.ts';
import { Amount } from './money.ts';

export const CreateTransfer = z
  .object({ from: AccountId, to: AccountId, amount: Amount })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must be another account than from' });

/** What is assumed of accounts whose ids do not tell. */
const USUAL_CURRENCY = 'EUR';

type TransferInput = z.infer<typeof CreateTransfer> &
  Origin & {
    readonly operation: { readonly round: number; readonly correlationId?: string | undefined };
    /** Above it, the transfer is told of. @default DEFAULT_LIMIT */
    readonly limit?: number;
  };

/**
 * Moves an amount from the caller's account to anyone's. The first round assumes the currency that the ids hint at and
 * lets the conditions check it, so that it needs no read; a later round looks.
 */
export async function transfer(input: TransferInput, read: Reader): Promise<Plan> {
  const { from, to, amount, caller, operation, limit = DEFAULT_LIMIT } = input;
  const id = `tr_${operation.uuid}`;
  const currency = operation.round === 1 ? hintedCurrency(from, to) : await actualCurrency(from, read);
  const movement = { amount, currency, entryUuid: operation.uuid };
  return {
    effects: [
      debit({ ...movement, account: from, caller }),
      credit({ ...movement, account: to }),
      entry({ id, kind: 'transfer', amount, debitAccount: from, creditAccount: to, caller, operation }),
      ...tellOfLarge({ transfer: id, from, to, amount, currency }, { limit, caller, operation }),
    ],
    reply: {
      status: 201,
      headers: { location: `/transfers/${id}` },
      body: { id, from, to, amount, createdAt: new Date(operation.now) },
      resource: id,
    },
  };
}

const hintedCurrency = (from: string, to: string) => currencyHint(from) ?? currencyHint(to) ?? USUAL_CURRENCY;

async function actualCurrency(account: string, read: Reader): Promise<string> {
  const item = await read.get(accountKey(account));
  return String(item?.currency ?? USUAL_CURRENCY);
}

/** Shows a transfer to the caller who made it. */
export async function showTransfer(id: string, caller: string, read: Reader): Promise<ReplyDraft | Refusal> {
  const item = await read.get(entryKey(id));
  if (item?.caller !== caller || item.kind !== 'transfer') {
    return refuse('transfer-not-found', `There is no transfer ${id}.`);
  }
  const { debitAccount: from, creditAccount: to, amount, createdAt } = item;
  return { status: 200, body: { id, from, to, amount, createdAt: new Date(Number(createdAt)) } };
}
