import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ExecutionEnvironment } from '../../lib/local/execution-environment.ts';
import type { Outcome } from '../../lib/local/invocation.ts';
import { abandonRunning } from '../../lib/local/running-functions.ts';
import { WorkerPool } from '../../lib/local/worker-pool.ts';

const directory = mkdtempSync(join(tmpdir(), 'semel-function-'));
const file = join(directory, 'index.mjs');
writeFileSync(
  file,
  `let count = 0;
   export const handler = async ({ wait = 0, loop }) => {
     count += 1;
     await new Promise((done) => setTimeout(done, wait));
     while (loop);
     return { count, key: process.env.AWS_ACCESS_KEY_ID };
   };`,
);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const definition = {
  name: 'counter',
  arn: 'arn:counter',
  roleArn: 'arn:role',
  file,
  exportName: 'handler',
  timeout: 1000,
  memoryMegabytes: 128,
  reservedConcurrency: undefined as number | undefined,
  environment: {},
};
const host = { region: 'us-east-1', proxyUrl: 'http://127.0.0.1:9', environment: {}, log: () => {} };
const started: ExecutionEnvironment[] = [];
const pools: WorkerPool[] = [];
const poolOf = (change: object = {}, idleLimit?: number) => {
  const pool = new WorkerPool(
    { ...definition, ...change },
    host,
    (environment) => started.push(environment),
    idleLimit,
  );
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  started.length = 0;
});

const run = (pool: WorkerPool, event: object = {}) => pool.invoke(JSON.stringify(event)).outcome;
const countOf = (outcome: Outcome): unknown => outcome.kind === 'returned' && JSON.parse(outcome.payload).count;

describe('a pool', () => {
  it('starts nothing before the first event', async () => {
    const pool = poolOf();
    expect(started).toHaveLength(0);
    await run(pool);
    expect(started).toHaveLength(1);
  });

  it('runs one event at a time in each environment, each under its own key', async () => {
    const pool = poolOf();
    const outcomes = await Promise.all([run(pool, { wait: 400 }), run(pool, { wait: 400 })]);
    expect(outcomes.map(countOf)).toEqual([1, 1]);
    const keys = outcomes.map((outcome) => outcome.kind === 'returned' && JSON.parse(outcome.payload).key);
    expect(keys.sort()).toEqual(started.map(({ accessKey }) => accessKey).sort());
    expect(new Set(keys).size).toBe(2);
  });

  it('abandons what runs and what waits, and goes on with what is warm', async () => {
    const pool = poolOf({ reservedConcurrency: 2 });
    await Promise.all([run(pool, { wait: 300 }), run(pool, { wait: 300 })]);
    const cut = run(pool, { wait: 800 });
    await pool.abandon();
    expect((await cut).kind).toBe('crashed');
    expect([(await run(pool)).kind, started.length]).toEqual(['returned', 2]);
    const queued = [run(pool, { wait: 800 }), run(pool, { wait: 800 }), run(pool)];
    await pool.abandon();
    expect((await Promise.all(queued)).map(({ kind }) => kind)).toEqual(['crashed', 'crashed', 'crashed']);
    expect((await run(pool)).kind).toBe('returned');
  });

  it('gives what runs a moment to end, and then ends all of it at once', async () => {
    const [brief, long] = [poolOf(), poolOf()];
    await Promise.all([run(brief), run(long)]);
    const outcomes = [run(brief, { wait: 50 }), run(long, { wait: 900 })];
    await abandonRunning(new Map(Object.entries({ brief, long })));
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['returned', 'crashed']);
  });

  it('starts no more than the function reserves; the other events wait', async () => {
    const pool = poolOf({ reservedConcurrency: 1 });
    const outcomes = await Promise.all([run(pool, { wait: 500 }), run(pool), run(pool)]);
    expect(outcomes.map(countOf)).toEqual([1, 2, 3]);
  });

  it('ends an environment that is idle for long', async () => {
    const pool = poolOf({}, 50);
    await run(pool);
    await started[0]?.exited;
    expect(countOf(await run(pool))).toBe(1);
  });

  it('ends an event that runs for too long, and takes the next in a new environment', async () => {
    const pool = poolOf({ timeout: 100 });
    expect(await run(pool, { loop: true })).toEqual({ kind: 'timed-out' });
    expect(countOf(await run(pool))).toBe(1);
  });

  it('has a new environment ready after a crash', async () => {
    const pool = poolOf();
    const crashed = run(pool, { wait: 5000 });
    await started[0]?.started;
    await started[0]?.end();
    expect(await crashed).toEqual({ kind: 'crashed' });
    expect(started).toHaveLength(2);
  });

  it('ends what runs and what waits when it is closed', async () => {
    const pool = poolOf({ reservedConcurrency: 1 });
    const outcomes = [run(pool, { wait: 5000 }), run(pool)];
    await started[0]?.started;
    await pool.close();
    expect(await Promise.all(outcomes)).toEqual([{ kind: 'crashed' }, { kind: 'crashed' }]);
    expect(started[0]?.ended).toBe(true);
  });

  it('says why a handler cannot be loaded, once for each event', async () => {
    const pool = poolOf({ exportName: 'missing' });
    const failed = { kind: 'failed', error: { errorMessage: `${file} exports no function missing` } };
    expect(await Promise.all([run(pool), run(pool)])).toMatchObject([failed, failed]);
  });
});
