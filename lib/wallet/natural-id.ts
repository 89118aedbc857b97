import * as z from 'zod';

const NATURAL_ID = 'must be 1 to 128 letters, digits and . _ ~ : -';

/** An id that the business gave: it names one thing for good, so it can do an idempotency key's work. */
export const NaturalId = z.string({ error: NATURAL_ID }).regex(/^[A-Za-z0-9._~:-]{1,128}$/, { error: NATURAL_ID });
