import * as z from 'zod';

/**
 * Account ids carry their currency in the last bits of the UUID, where UUIDv7 allows any. That lets a transfer state the
 * currency it expects as a condition instead of reading both accounts first: one request instead of two. It is a hint:
 * the condition decides, and an id that tells nothing or lies only costs a second round.
 */
export function accountId(uuid: string, currency: string): string {
  const [a = 0, b = 0, c = 0] = [...currency].map((letter) => letter.charCodeAt(0) - FIRST_LETTER);
  const random = Number.parseInt(uuid.slice(-4), 16) & ABOVE_CURRENCY;
  const tail = random | (a * LETTERS * LETTERS + b * LETTERS + c);
  return `acct_${uuid.slice(0, -4)}${tail.toString(16).padStart(4, '0')}`;
}

/** The currency that an account id hints at. @example currencyHint('acct_alice') // undefined */
export function currencyHint(id: string): string | undefined {
  if (!UUID_ID.test(id)) return undefined;
  const code = Number.parseInt(id.slice(-4), 16) & ~ABOVE_CURRENCY;
  const letters = [Math.floor(code / LETTERS ** 2), Math.floor(code / LETTERS) % LETTERS, code % LETTERS];
  return letters.every((letter) => letter < LETTERS)
    ? String.fromCharCode(...letters.map((letter) => letter + FIRST_LETTER))
    : undefined;
}

const FIRST_LETTER = 'A'.charCodeAt(0);
const LETTERS = 26;
/** Three letters need 15 bits; the 16th of the last two bytes stays random. */
const ABOVE_CURRENCY = 0x8000;
const UUID_ID = /^acct_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const ACCOUNT_ID = 'must be an account id such as "acct_alice"';

export const AccountId = z.string({ error: ACCOUNT_ID }).regex(/^acct_[A-Za-z0-9-]{1,64}$/, { error: ACCOUNT_ID });
