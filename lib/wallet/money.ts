import * as z from 'zod';

/** Money is counted in integer minor units up to 2^53 − 1, the largest integer that JSON readers agree on. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

const INTEGER = 'must be an integer number of minor units from 1 to 9007199254740991, such as 500 for 5.00';

export const Amount = z.int({ error: INTEGER }).min(1, { error: INTEGER }).max(MAX_AMOUNT, { error: INTEGER });

export const Currency = z
  .string({ error: 'must be an ISO 4217 code such as "EUR"' })
  .regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code such as "EUR"' });
