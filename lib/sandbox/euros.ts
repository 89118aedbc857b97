/** An amount in cents as people read it, in one piece. @example euros(2_050) // '20.50 €' */
export const euros = (cents: number): string => `${(cents / 100).toFixed(2)}\u00a0€`;

/** What somebody typed, in cents; undefined where it is no amount. @example cents('20.5') // 2050 */
export function cents(typed: string): number | undefined {
  const amount = Math.round(Number(typed) * 100);
  return typed.trim() !== '' && Number.isSafeInteger(amount) && amount > 0 ? amount : undefined;
}
