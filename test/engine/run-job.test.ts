import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { type Job, runJob } from '../../lib/engine/run-job.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';

let store: Store;
let engine: Engine;
let date: string;
let night = 0;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  engine = createEngine({ store });
  date = new Date(Date.UTC(2026, 0, ++night)).toISOString().slice(0, 10);
});

const soon = (from = Date.now(), time = 60_000) => milliseconds(from + time);

/** A job of a number of pages, each of which adds 1: done twice, it shows. */
const counting = (pages: number, beforePage: (page: number) => void = () => {}): Job => ({
  name: 'count',
  page: async ({ id, cursor = '0' }) => {
    const page = Number(cursor) + 1;
    beforePage(page);
    return { effects: [addOne(id)], next: page === pages ? undefined : String(page) };
  },
});

const addOne = (id: string) => ({
  Update: {
    Key: { pk: `counted#${id}`, sk: 'pages' },
    UpdateExpression: 'ADD pages :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});

const get = async (Key: Record<string, unknown>) =>
  (await store.client.send(new GetCommand({ TableName: store.dataTable, Key, ConsistentRead: true }))).Item;
const counted = async (): Promise<number> => (await get({ pk: `counted#${date}`, sk: 'pages' }))?.pages ?? 0;

const jobRecord = async () => {
  const { Items = [] } = await store.client.send(new ScanCommand({ TableName: store.table, ConsistentRead: true }));
  return Items.filter(({ operation }) => operation === 'count').toSorted((a, b) => b.firstSeenAt - a.firstSeenAt)[0];
};

describe('a job', () => {
  it('R33 is done once and a no-op after that, for 400 days', async () => {
    expect(await runJob(engine, counting(3), date, soon())).toBe('done');
    expect(await runJob(engine, counting(3), date, soon())).toBe('already-done');
    expect(await counted()).toBe(3);
    const record = await jobRecord();
    expect(record?.expiresAt - Math.ceil(record?.completedAt / 1_000)).toBe(400 * 86_400);
  });

  it('R3 is out of reach for every caller, whoever says that it is one', async () => {
    expect(await runJob(engine, counting(1), date, soon())).toBe('done');
    for (const caller of ['semel:jobs', 'semel:other']) {
      const handler = endpoint({
        ...{ engine, operation: 'count', mode: 'atomic' },
        authenticate: async () => caller,
        run: () => ({ status: 201 }),
      });
      const headers = { 'Idempotency-Key': `count:${date}` };
      const answer = await handler(httpEvent({ route: 'POST /x', headers }), lambdaContext());
      expect([answer.statusCode, JSON.parse(answer.body).type]).toEqual([401, '/problems/unauthenticated']);
    }
  });

  it('R33 of another date is another job', async () => {
    expect(await runJob(engine, counting(1), date, soon())).toBe('done');
    expect(await runJob(engine, counting(1), `${date}-b`, soon())).toBe('done');
  });

  it('R33 that is run five times at once is done by one', async () => {
    const runs = Array.from({ length: 5 }, () => runJob(createEngine({ store }), counting(4), date, soon()));
    const endings = await Promise.all(runs);
    expect(endings.filter((ending) => ending === 'done')).toHaveLength(1);
    expect(await counted()).toBe(4);
  });

  it('R33 that dies on a page goes on with that page, under the same operation id', async () => {
    const dies = counting(5, (page) => {
      if (page === 3) throw new Error('the machine is gone');
    });
    await expect(runJob(engine, dies, date, soon())).rejects.toMatchObject({ code: 'outcome-unknown' });
    const before = await jobRecord();
    expect([before?.recoveryPoint, await counted()]).toEqual(['page', 2]);
    expect(await runJob(engine, counting(5), date, soon())).toBe('done');
    expect(await counted()).toBe(5);
    const after = await jobRecord();
    expect([after?.operationId, after?.attempt]).toEqual([before?.operationId, 2]);
  });

  it('R33 whose last page was committed but not its end only ends', async () => {
    let writes = 0;
    const real = store.client.send.bind(store.client) as (...args: unknown[]) => Promise<unknown>;
    const client = Object.create(store.client);
    client.send = async (...args: unknown[]) => {
      // The claim, two pages; then the machine is gone.
      if ((args[0] as object).constructor.name !== 'GetCommand' && ++writes > 3) return new Promise(() => {});
      return real(...args);
    };
    void runJob(createEngine({ store: { ...store, client } }), counting(2), date, soon(Date.now(), 8_000));
    await expect.poll(counted).toBe(2);
    const later = { ...SYSTEM, now: () => milliseconds(Date.now() + 60_000) };
    const next = createEngine({ store, surroundings: later });
    expect(await runJob(next, counting(2), date, soon(Date.now() + 60_000))).toBe('done');
    expect(await counted()).toBe(2);
  });

  it('R33 stops before a page for which there is no time, and the next run goes on at once', async () => {
    let ahead = 0;
    const surroundings = { ...SYSTEM, now: () => milliseconds(Date.now() + ahead) };
    const late = createEngine({ store, surroundings });
    const slow = counting(4, (page) => {
      if (page === 2) ahead = 56_000;
    });
    expect(await runJob(late, slow, date, soon())).toBe('to-be-continued');
    expect(await counted()).toBe(2);
    expect(await runJob(late, counting(4), date, soon(Date.now() + ahead))).toBe('done');
    expect(await counted()).toBe(4);
  });
});
