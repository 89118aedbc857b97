import type { Effect, Item } from '../protocol/plan.ts';
import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';

/** Lines of a page: far fewer effects than 99, since they are added up by currency first. */
const PAGE = 200;

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
    const lines = await read.query({
      condition: 'pk = :day AND sk > :cursor',
      values: { ':day': linesOf(date), ':cursor': cursor === '' ? ' ' : cursor },
      limit: PAGE,
    });
    const effects = [...Map.groupBy(lines, ({ currency }) => String(currency))].map(([currency, same]) =>
      addToSettlement(date, currency, same, now),
    );
    return { effects, next: lines.length < PAGE ? undefined : String(lines.at(-1)?.sk) };
  },
};

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
