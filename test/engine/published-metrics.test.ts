import { describe, expect, it } from 'vitest';
import type { Counter, Gauge } from '../../lib/protocol/counters.ts';
import { notBegun } from '../../lib/protocol/outside-call.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import { type Act, declines, doesSilently, isSilent, stalls } from '../setup/card-terminal.ts';
import { failWith, passOn, reset } from '../setup/meddled-store.ts';
import { catchPrinted, metricLines, metricSum } from '../setup/printed-lines.ts';
import { newWatchedSale, type WatchedSale } from '../setup/watched-sale.ts';

type Situation = (sale: WatchedSale) => Promise<unknown>;

const MINUTE = 60_000;
const key = 'k';

/** A sale whose outcome nobody knows, left alone for an hour. */
const leaveUnknown = async ({ sell, terminal, clock }: WatchedSale, act: Act = isSilent) => {
  terminal.next(act);
  await sell({ key });
  clock.advance(60 * MINUTE);
};

/** A sale whose function never comes back, and what happens meanwhile. */
const whileStalled = async ({ sell, terminal }: WatchedSale, meanwhile: () => Promise<unknown>) => {
  const call = stalls();
  terminal.next(call.act);
  const first = sell({ key });
  await call.reached;
  await meanwhile();
  call.letGo();
  await first;
};

/** For each counter the situation that it counts; a counter without one does not compile. */
const COUNTED: Readonly<Record<Counter, Situation>> = {
  new: ({ pay }) => pay(),
  replayed: async ({ pay }) => [await pay({ key }), await pay({ key })],
  mismatch: async ({ pay }) => [await pay({ key }), await pay({ key, body: { amount: 7 } })],
  expired: async ({ pay, clock }) => {
    await pay({ key });
    clock.advance(25 * 60 * MINUTE);
    await pay({ key });
  },
  refused: ({ overdraw }) => overdraw(),
  'in-flight': (sale) => whileStalled(sale, () => sale.sell({ key })),
  'taken-over': (sale) =>
    whileStalled(sale, () => {
      sale.clock.advance(MINUTE);
      return sale.sell({ key });
    }),
  released: ({ sell, terminal }) => {
    terminal.next(async () => notBegun(new SemelError('store-unavailable', 'Not now.')));
    return sell();
  },
  unknown: (sale) => leaveUnknown(sale),
  'needs-attention': async ({ sell, terminal, clock }) => {
    for (let attempt = 1; attempt <= 2; attempt++) {
      terminal.next(isSilent);
      terminal.nextFound(...(attempt > 1 ? [isSilent] : []));
      await sell({ key });
      clock.advance(MINUTE);
    }
  },
  'duplicate-message': async ({ consume }) => [await consume(1), await consume(1)],
  gap: ({ consume }) => consume(2),
  'dead-lettered': ({ consume }) => consume(2),
  'reconciled-settled': async (sale) => {
    await leaveUnknown(sale, doesSilently);
    await sale.reconcile();
  },
  'reconciled-cancelled': async (sale) => {
    await leaveUnknown(sale);
    sale.terminal.next(declines);
    await sale.reconcile();
  },
  'reconciled-unknown': async (sale) => {
    const patient = await newWatchedSale();
    await leaveUnknown(patient);
    patient.terminal.nextFound(isSilent);
    await patient.reconcile();
    return sale;
  },
  'reconciled-needs-attention': async (sale) => {
    await leaveUnknown(sale);
    sale.terminal.nextFound(isSilent);
    await sale.reconcile();
  },
  'reconciled-taken-by-another': async (sale) => {
    await leaveUnknown(sale);
    const beforeTakeover = Array.from({ length: 10 }, () => passOn);
    sale.store.meddle(...beforeTakeover, async ({ send }) => {
      await sale.sell({ key });
      return send();
    });
    await sale.reconcile();
  },
  'reconciled-failed': async (sale) => {
    await leaveUnknown(sale);
    // The gauge and the eight shards are asked for first; the tenth call reads the record.
    sale.store.meddle(...Array.from({ length: 9 }, () => passOn), failWith('AccessDeniedException'));
    await expect(sale.reconcile()).rejects.toThrow();
  },
  'unsent-event': async ({ sweep }) => {
    await expect(sweep('evt_1')).rejects.toThrow();
  },
  'retried-conflict': ({ pay, store }) => {
    store.meddle(failWith('TransactionConflictException'));
    return pay();
  },
  'retried-throttle': ({ pay, store }) => {
    store.meddle(failWith('ProvisionedThroughputExceededException'));
    return pay();
  },
  'retried-unreachable': ({ pay, store }) => {
    store.meddle(reset);
    return pay();
  },
};

describe('a count', () => {
  it.each(Object.entries(COUNTED))(
    'R38 of "%s" is published once, for its operation and its service',
    async (counter, happens) => {
      const printed = catchPrinted();
      await happens(await newWatchedSale({ mostUnknowns: 2 }));
      expect(metricSum(printed(), counter)).toBe(1);
      const [line] = metricLines(printed()).filter((metrics) => counter in metrics);
      const [metrics] = line?._aws.CloudWatchMetrics ?? [];
      expect(metrics?.Namespace).toBe('Semel');
      expect(metrics?.Dimensions).toEqual([['service', 'operation'], ['service']]);
      expect(metrics?.Metrics).toContainEqual({ Name: counter, Unit: 'Count' });
      expect(line?.operation).toMatch(/^(pay|sell|readings|all)$/);
    },
  );
});

/** For each gauge the situation that raises it, and what it then says. */
const MEASURED: Readonly<Record<Gauge, readonly [Situation, number]>> = {
  'unfinished-count': [async (sale) => [await leaveUnknown(sale), await sale.reconcile()], 1],
  'unfinished-oldest-age': [async (sale) => [await leaveUnknown(sale), await sale.reconcile()], 3_600],
  'abandoned-oldest-age': [async (sale) => [await leaveUnknown(sale), await sale.reconcile([])], 3_600],
  'attention-count': [
    async (sale) => {
      await leaveUnknown(sale);
      sale.terminal.nextFound(isSilent);
      await sale.reconcile();
      await sale.reconcile();
    },
    1,
  ],
};

describe('a measure', () => {
  it.each(Object.entries(MEASURED))('R38 of "%s" is published by the reconciler', async (gauge, [happens, value]) => {
    const printed = catchPrinted();
    await happens(await newWatchedSale({ mostUnknowns: 2 }));
    expect(metricSum(printed(), gauge)).toBe(value);
    const units = metricLines(printed()).flatMap((line) => line._aws.CloudWatchMetrics[0].Metrics);
    expect(units).toContainEqual({ Name: gauge, Unit: gauge.endsWith('-age') ? 'Seconds' : 'Count' });
  });

  it('R38 is published when there is nothing to do, so that silence means something', async () => {
    const printed = catchPrinted();
    await (await newWatchedSale()).reconcile();
    for (const gauge of ['unfinished-count', 'unfinished-oldest-age', 'attention-count']) {
      expect(metricSum(printed(), gauge)).toBe(0);
    }
  });
});

it('R38 what an invocation counted is published once, also when it fails', async () => {
  const printed = catchPrinted();
  const { consume, store } = await newWatchedSale();
  store.meddle(...Array.from({ length: 40 }, () => failWith('AccessDeniedException')));
  await consume(1);
  store.calm();
  await consume(1, 2);
  expect(metricSum(printed(), 'new')).toBe(2);
});
