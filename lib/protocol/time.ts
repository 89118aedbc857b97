/**
 * Points in time and durations, as distinct types: DynamoDB's TTL counts seconds, a lease counts milliseconds, and a
 * number that is one but is read as the other expires a thousand times too early or never (R13).
 */
export type Seconds = number & { readonly unit: 'seconds' };
export type Milliseconds = number & { readonly unit: 'milliseconds' };

/** Marks a number as milliseconds. @example milliseconds(2_000) */
export const milliseconds = (value: number): Milliseconds => value as Milliseconds;

/** Marks a number as whole seconds. @example seconds(86_400) */
export const seconds = (value: number): Seconds => value as Seconds;

/** A number of hours in seconds. @example hours(24) // 86400 */
export const hours = (count: number): Seconds => seconds(count * 3_600);

/** A number of days in seconds. @example days(30) // 2592000 */
export const days = (count: number): Seconds => hours(count * 24);

/** The epoch second in which retention that starts at `from` ends, rounded up so that nothing expires early (R8). */
export const expiryAfter = (from: Milliseconds, retention: Seconds): Seconds =>
  seconds(Math.ceil(from / 1_000) + retention);

/** Is this a day of the calendar? Date.parse alone takes 2026-02-30 for a day in March. @example isDate('2026-11-30') // true */
export function isDate(text: string): boolean {
  const moment = Date.parse(text);
  return !Number.isNaN(moment) && new Date(moment).toISOString().slice(0, 10) === text;
}
