import * as z from 'zod';
import { Amount } from './money.ts';

/** A request for a refund; without an amount, or without a body, it is for all that is left of the charge. */
export const CreateRefund = z.object({ amount: Amount.optional() }).prefault({});
