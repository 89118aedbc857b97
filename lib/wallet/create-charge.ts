import * as z from 'zod';
import { AccountId } from './account-id.ts';
import { Amount } from './money.ts';

const SOURCE = 'must be a card token such as "tok_ok"';

/** A request for a charge: the card is charged, and the account is credited. */
export const CreateCharge = z.object({
  account: AccountId,
  amount: Amount,
  source: z.string({ error: SOURCE }).regex(/^tok_\w{1,64}$/, { error: SOURCE }),
});
