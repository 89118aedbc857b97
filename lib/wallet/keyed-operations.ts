import { MONEY_RETENTION } from '../protocol/retention.ts';
import { hours } from '../protocol/time.ts';
import { CreateAccount } from './account.ts';
import { CreateCharge } from './create-charge.ts';
import { CreateRefund } from './create-refund.ts';
import { CreateTransfer } from './transfer.ts';

/**
 * The keyed operations: what the functions run by and what the published description says, from one place. The schemas of
 * the description are in another, since building them takes each cold start time.
 */
export const CREATE_ACCOUNT = {
  operation: 'create-account',
  mode: 'atomic',
  body: CreateAccount,
  retention: hours(24),
} as const;

export const CREATE_TRANSFER = {
  operation: 'create-transfer',
  mode: 'atomic',
  body: CreateTransfer,
  retention: hours(24),
} as const;

export const CREATE_CHARGE = {
  operation: 'create-charge',
  mode: 'leased',
  body: CreateCharge,
  retention: MONEY_RETENTION,
} as const;

export const CREATE_REFUND = {
  operation: 'create-refund',
  mode: 'leased',
  body: CreateRefund,
  retention: MONEY_RETENTION,
} as const;

/** For how long a provider must know an idempotency key, an hour of which is kept for calls under way. */
export const PROVIDER_REMEMBERS = hours(23);
