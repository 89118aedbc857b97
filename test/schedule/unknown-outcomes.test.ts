import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { unknown } from '../../lib/protocol/outside-call.ts';
import { UnknownOutcome } from '../../lib/protocol/unknown-outcome.ts';
import { nightlyJob } from '../../lib/schedule/nightly-job.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { catchPrinted } from '../setup/printed-lines.ts';
import { newWatchedSale } from '../setup/watched-sale.ts';

/** Before the loggers are made, which is when their modules are loaded. */
const silent = vi.hoisted(() => {
  const before = process.env.POWERTOOLS_LOG_LEVEL;
  process.env.POWERTOOLS_LOG_LEVEL = 'INFO';
  return before;
});
afterAll(() => {
  process.env.POWERTOOLS_LOG_LEVEL = silent;
});

const answered500 = async () => unknown(new UnknownOutcome('The provider answered 500.'));

/** Once by the client, who goes; then by the reconciler. */
async function reconcileAfter(act: () => Promise<ReturnType<typeof unknown>>, mostUnknowns = 10) {
  const printed = catchPrinted();
  const sale = await newWatchedSale({ mostUnknowns });
  sale.terminal.next(act, act);
  const key = randomUUID();
  const { operation } = await sale.sell({ key, body: { amount: 77_001 } });
  sale.clock.advance(60_000);
  const counts = await sale.reconcile();
  return { sale, key, operation, counts, lines: printed().filter(({ message }) => message === 'Reconciled one') };
}

describe('the reconciler', () => {
  it('R38 tells why an outcome is not known, as the request did', async () => {
    const { operation, key, counts, lines } = await reconcileAfter(answered500);
    expect(counts).toEqual({ unknown: 1 });
    expect(lines).toMatchObject([
      {
        ...{ level: 'WARN', operationId: operation, outcome: 'unknown', attempt: 1 },
        error: { name: 'UnknownOutcome', message: 'The provider answered 500.' },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(key);
    expect(JSON.stringify(lines)).not.toContain('77001');
  });

  it('R38 tells it of what it hands to a person, and the record keeps it', async () => {
    const { sale, operation, counts, lines } = await reconcileAfter(answered500, 2);
    expect(counts).toEqual({ 'needs-attention': 1 });
    expect(lines).toMatchObject([{ outcome: 'needs-attention', error: { message: 'The provider answered 500.' } }]);
    expect(await sale.record(operation)).toMatchObject({
      status: 'needs_attention',
      reason: 'The outcome was unknown 2 times in a row: The provider answered 500.',
    });
  });

  it('R38 keeps no message that may quote what was sent', async () => {
    const quotes = async () => unknown(new SyntaxError('Unexpected token: 77001'));
    const { sale, operation } = await reconcileAfter(quotes, 2);
    expect(await sale.record(operation)).toMatchObject({
      reason: 'The outcome was unknown 2 times in a row: SyntaxError',
    });
  });

  it('R38 tells nothing of an operation that ended', async () => {
    const printed = catchPrinted();
    const sale = await newWatchedSale();
    sale.terminal.next(answered500);
    await sale.sell({ body: { amount: 1 } });
    sale.clock.advance(60_000);
    expect(await sale.reconcile()).toEqual({ settled: 1 });
    const [line] = printed().filter(({ message }) => message === 'Reconciled one');
    expect(line).toMatchObject({ level: 'INFO', outcome: 'settled' });
    expect(line).not.toHaveProperty('error');
  });
});

describe('a job', () => {
  const run = async (page: () => Promise<never>) => {
    const engine = createEngine({ store: await freshStore() });
    const printed = catchPrinted();
    const job = nightlyJob({ name: 'count', page }, () => engine);
    await expect(job({ date: '2020-01-01' }, lambdaContext(60_000))).rejects.toThrow();
    return printed().filter(({ message }) => message === 'A job failed');
  };

  it('R38 whose page fails tells why', async () => {
    const lines = await run(async () => {
      throw new Error('The ledger is closed.');
    });
    expect(lines).toMatchObject([
      { level: 'ERROR', job: 'count:2020-01-01', error: { message: 'The ledger is closed.' } },
    ]);
  });
});
