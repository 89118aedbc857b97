/** The most that the wallet counts: 2^53 − 1 cents. */
export const MOST = Number.MAX_SAFE_INTEGER;

/** An amount in cents as people read it, in one piece. @example euros(2_050) // '20.50 €' */
export const euros = (cents: number): string => `${(cents / 100).toFixed(2)}\u00a0€`;

/**
 * What somebody typed, in cents, else why it is no amount: nothing is rounded or guessed, since it is money.
 * @example cents('20,5') // 2050
 */
export function cents(typed: string): number | string {
  if (/^\s*[1-9]\d{0,2}([.,]\d{3})+([.,]\d+)?\s*$/.test(typed)) {
    return 'An amount has at most two decimals, and nothing groups its thousands.';
  }
  const [, whole, decimals = ''] = /^(\d+)(?:[.,](\d+))?$/.exec(typed.trim()) ?? [];
  if (whole === undefined) return NO_AMOUNT;
  if (decimals.length > 2) return 'An amount has at most two decimals.';
  const amount = Number(whole + decimals.padEnd(2, '0'));
  if (amount > MOST) return `An amount is at most ${euros(MOST)}, which is 2^53 − 1 cents.`;
  return amount > 0 ? amount : NO_AMOUNT;
}

const NO_AMOUNT = 'An amount is a number above zero, like 20.00 or 20,00.';
