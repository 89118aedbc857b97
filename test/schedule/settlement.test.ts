import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { type JobEvent, nightlyJob } from '../../lib/schedule/nightly-job.ts';
import type { Store } from '../../lib/store/store.ts';
import { settle, settlementKey, settlementLine } from '../../lib/wallet/settle.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { type SetClock, setClock } from '../setup/set-clock.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

let store: Store;
let clock: SetClock;
let engine: Engine;
let date: string;
let night = 0;

beforeAll(async () => {
  store = await freshStore();
});
/** An hour into the day after the one that is settled. */
beforeEach(() => {
  date = new Date(Date.UTC(2026, 0, ++night)).toISOString().slice(0, 10);
  clock = setClock(Date.parse(date) + DAY + 60 * MINUTE);
  engine = createEngine({ store, surroundings: clock });
});

const run = (event: JobEvent) => nightlyJob(settle, () => engine)(event, lambdaContext(MINUTE));
const get = async (Key: Record<string, unknown>) =>
  (await store.client.send(new GetCommand({ TableName: store.dataTable, Key, ConsistentRead: true }))).Item;

const line = (index: number, currency = 'EUR') =>
  settlementLine({
    uuid: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    amount: 10,
    currency,
    now: milliseconds(Date.parse(date) + index),
  });
const putLines = async (lines: readonly ReturnType<typeof line>[]) => {
  for (let from = 0; from < lines.length; from += 25) {
    const puts = lines.slice(from, from + 25).map((effect) => ({
      PutRequest: { Item: { ...('Put' in effect ? effect.Put.Item : {}) } },
    }));
    await store.client.send(new BatchWriteCommand({ RequestItems: { [store.dataTable]: puts } }));
  }
};

/** @example currency(0) // 'AAA' */
const currency = (index: number) =>
  [index / 676, index / 26, index].map((part) => String.fromCharCode(65 + (Math.floor(part) % 26))).join('');

describe('the settlement of a day', () => {
  it('R33 adds up every line of the day before once, over several pages', async () => {
    await putLines([...Array.from({ length: 450 }, (_, index) => line(index)), line(1_000, 'USD')]);
    const time = new Date(clock.now()).toISOString();
    expect(await run({ time })).toEqual({ job: `settle:${date}`, ending: 'done' });
    expect(await run({ date })).toEqual({ job: `settle:${date}`, ending: 'already-done' });
    expect(await get(settlementKey(date, 'EUR'))).toMatchObject({ amount: 4_500, deposits: 450 });
    expect(await get(settlementKey(date, 'USD'))).toMatchObject({ amount: 10, deposits: 1 });
  });

  it.each([99, 100, 199, 200])('R33 of %i currencies is done, however many pages they take', async (currencies) => {
    const names = Array.from({ length: currencies }, (_, index) => currency(index));
    await putLines([...names, ...names].map((name, index) => line(index, name)));
    expect(await run({ date })).toEqual({ job: `settle:${date}`, ending: 'done' });
    for (const name of names) {
      expect(await get(settlementKey(date, name)), name).toMatchObject({ amount: 20, deposits: 2 });
    }
  });

  it('R33 waits until the day is over, so that no later deposit of it is left out', async () => {
    await putLines([line(1)]);
    clock.advance(-61 * MINUTE);
    await expect(run({ date })).rejects.toThrow(`It is too early to work on ${date}`);
    await putLines([line(2)]);
    clock.advance(61 * MINUTE);
    expect(await run({ date })).toEqual({ job: `settle:${date}`, ending: 'done' });
    expect(await get(settlementKey(date, 'EUR'))).toMatchObject({ amount: 20, deposits: 2 });
  });

  it('R33 leaves a deposit that began before midnight five minutes to be booked', async () => {
    const [year, month, day] = date.split('-').map(Number) as [number, number, number];
    const after = new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10);
    clock.advance(-55 * MINUTE - 1);
    const early = `It is too early to work on ${date}: in UTC, that day may be worked on from ${after}T00:05:00Z.`;
    await expect(run({ date })).rejects.toThrow(new RangeError(early));
    clock.advance(1);
    expect(await run({ date })).toEqual({ job: `settle:${date}`, ending: 'done' });
  });

  it('R33 of a day to come is refused, whatever the event says of the time', async () => {
    await expect(run({ date: '2999-12-31' })).rejects.toThrow('that day may be worked on from 3000-01-01T00:05:00Z.');
    await expect(run({ time: '2999-12-31T00:10:00Z' })).rejects.toThrow('It is too early to work on 2999-12-30');
  });

  it('R33 that was refused is not remembered: the day can be settled once it is over', async () => {
    clock.advance(-DAY);
    await expect(run({ date })).rejects.toThrow(RangeError);
    clock.advance(DAY);
    expect(await run({ time: new Date(clock.now()).toISOString() })).toEqual({ job: `settle:${date}`, ending: 'done' });
  });

  it.each(['2026-13-01', '2026-02-30', '2025-02-29', '30.11.2026', '', 20_261_130])(
    'R33 refuses what is no date: %j',
    async (none) => {
      await expect(run({ date: none as string })).rejects.toThrow(`${none} is not a date like 2026-11-30.`);
    },
  );

  it('R33 refuses a time that is none', async () => {
    await expect(run({ time: 'soon' })).rejects.toThrow('soon is not a time');
  });
});
