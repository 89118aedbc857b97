import type { Effect, Item } from '../protocol/plan.ts';
import { MOST_EFFECTS } from '../protocol/plan-limits.ts';
import type { Reader } from '../protocol/reader.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';

/** Lines that are read for a page; they are added up by currency, and a page ends before it has too many of those. */
const PAGE = 200;

/** A deposit that began before midnight is on the list of that day; its consumer has long ended by then. */
const BOOKED_WITHIN = milliseconds(5 * 60_000);

/** What came in on a day, waiting for the day's settlement. */
const linesOf = (date: string): string => `unsettled#${date}`;

export const settlementKey = (date: string, currency: string) => ({ pk: `settlement#${date}`, sk: currency });

/** The day, in UTC, that a moment belongs to. @example dayOf(milliseconds(0)) // '1970-01-01' */
const dayOf = (moment: Milliseconds): string => new Date(moment).toISOString().slice(0, 10);

/** Puts what came in on the list of its day; together with the credit, so that neither is there without the other. */
export const settlementLine = (line: {
  readonly uuid: string;
  readonly amount: number;
  readonly currency: string;
  readonly now: Milliseconds;
}): Effect => ({
  Put: {
    Item: { pk: linesOf(dayOf(line.now)), sk: line.uuid, amount: line.amount, currency: line.currency },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/**
 * Settles a day: adds up what came in, by currency, for the people who compare it with the bank's statement. Adding is
 * not idempotent, which the job's cursor makes up for.
 */
export const settle = {
  name: 'settle',
  readyAfter: BOOKED_WITHIN,
  page: async ({
    id: date,
    cursor = '',
    read,
    now,
  }: {
    readonly id: string;
    readonly cursor: string | undefined;
    readonly read: Reader;
    readonly now: Milliseconds;
  }) => {
    const found = await read.query({
      condition: 'pk = :day AND sk > :cursor',
      values: { ':day': linesOf(date), ':cursor': cursor === '' ? ' ' : cursor },
      limit: PAGE,
    });
    const { lines, currencies } = fittingOnPage(found);
    const effects = [...currencies].map(([currency, same]) => addToSettlement(date, currency, same, now));
    const isLast = found.length < PAGE && lines.length === found.length;
    return { effects, next: isLast ? undefined : String(lines.at(-1)?.sk) };
  },
};

/** As many lines, from the first, as make no more effects than a transaction takes: each currency is one. */
function fittingOnPage(found: readonly Item[]) {
  const currencies = new Map<string, Item[]>();
  const lines: Item[] = [];
  for (const line of found) {
    const currency = String(line.currency);
    const same = currencies.get(currency);
    if (same === undefined && currencies.size === MOST_EFFECTS) break;
    if (same === undefined) currencies.set(currency, [line]);
    else same.push(line);
    lines.push(line);
  }
  return { lines, currencies };
}

const addToSettlement = (date: string, currency: string, lines: readonly Item[], now: Milliseconds): Effect => ({
  Update: {
    Key: settlementKey(date, currency),
    UpdateExpression: 'SET settledAt = :now ADD amount :amount, deposits :count',
    ExpressionAttributeValues: {
      ':now': now,
      ':amount': lines.reduce((sum, { amount }) => sum + BigInt(Number(amount)), 0n),
      ':count': lines.length,
    },
  },
});
