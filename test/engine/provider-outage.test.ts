import { expect, it } from 'vitest';
import { resolve } from '../../lib/engine/resolve.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { type Act, doesSilently, isSilent } from '../setup/card-terminal.ts';
import { catchPrinted, metricSum, type PrintedLine } from '../setup/printed-lines.ts';
import { newWatchedSale } from '../setup/watched-sale.ts';

const SALES = 12;
const MINUTE = 60_000;

it('R38 an outage of the provider rings, the runbook ends it, and nothing is lost or doubled', {
  timeout: 60_000,
}, async () => {
  const printed = catchPrinted();
  const sale = await newWatchedSale({ mostUnknowns: 2 });
  const keys = Array.from({ length: SALES }, (_, number) => `sale-${number}`);
  let seen = 0;
  /** One run of the reconciler, and what it publishes. */
  const reconcile = async (): Promise<(name: string) => number | undefined> => {
    const counts = await sale.reconcile();
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(SALES);
    const lines: readonly PrintedLine[] = printed().slice(seen);
    seen = printed().length;
    return (name) => metricSum(lines, name);
  };

  // Every other call does its work, and no call says so.
  sale.terminal.next(...keys.map((_, number): Act => (number % 2 === 0 ? doesSilently : isSilent)));
  const answers = await Promise.all(keys.map((key) => sale.sell({ key })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(sale.terminal.charges.size).toBe(SALES / 2);

  // The outage goes on: the reconciler finds them, learns nothing, and hands them to a person.
  sale.clock.advance(16 * MINUTE);
  sale.terminal.nextFound(...keys.map(() => isSilent));
  const during = await reconcile();
  expect(during('unfinished-count')).toBe(SALES);
  expect(during('unfinished-oldest-age')).toBeGreaterThanOrEqual(16 * 60);
  const waiting = await reconcile();
  expect([waiting('attention-count'), waiting('unfinished-count')]).toEqual([SALES, 0]);

  // The provider is well again; the runbook says: resolve, and let the reconciler go on.
  for (const { operation } of answers) {
    await resolve(sale.engine, operation, milliseconds(sale.clock.now() + MINUTE));
  }
  sale.clock.advance(MINUTE);
  expect((await reconcile())('reconciled-settled')).toBe(SALES);
  const after = await reconcile();
  expect([after('attention-count'), after('unfinished-count')]).toEqual([0, 0]);

  const replies = await Promise.all(keys.map((key) => sale.sell({ key })));
  expect(replies.map(({ status, replayed }) => [status, replayed])).toEqual(keys.map(() => [201, true]));
  expect(sale.terminal.charges.size).toBe(SALES);
});
