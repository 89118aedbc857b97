import { randomUUID } from 'node:crypto';
import { lambdaContext } from '../setup/http-event.ts';
import type { CountedCall } from './counting-proxy.ts';
import { type LocalBench, type LocalSubject, transferEvent } from './local-subjects.ts';
import { median, percentile } from './percentile.ts';

/** What one request of a client costs at DynamoDB, authentication's read aside. */
export interface RequestCost {
  readonly subject: string;
  readonly job: Job;
  readonly status: number;
  /** @example 'PutItem, TransactWriteItems' */
  readonly calls: string;
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

type Job = 'new transfer' | 'replay' | 'hinted replay';

/** Sends each subject a transfer, the same again, and again with the hint; counts what reaches DynamoDB. */
export async function measureRequests(bench: LocalBench): Promise<readonly RequestCost[]> {
  const costs: RequestCost[] = [];
  for (const subject of bench.subjects) {
    // Whatever the first call of an execution environment does beside its work is not what is counted.
    await subject.handler(transferEvent(randomUUID()), lambdaContext());
    const key = randomUUID();
    costs.push(await cost(bench, subject, 'new transfer', transferEvent(key)));
    costs.push(await cost(bench, subject, 'replay', transferEvent(key)));
    costs.push(await cost(bench, subject, 'hinted replay', transferEvent(key, { hinted: true })));
  }
  return costs;
}

async function cost(
  { proxy }: LocalBench,
  { name, handler }: LocalSubject,
  job: Job,
  event: ReturnType<typeof transferEvent>,
): Promise<RequestCost> {
  await proxy.take();
  const { statusCode: status } = await handler(event, lambdaContext());
  const calls = (await proxy.take()).filter(({ authentication }) => !authentication);
  return {
    ...{ subject: name, job, status, requests: calls.length },
    calls: calls.map(({ action }) => action).join(', '),
    writeUnits: total(calls, 'writeUnits'),
    readUnits: total(calls, 'readUnits'),
  };
}

const total = (calls: readonly CountedCall[], unit: 'writeUnits' | 'readUnits'): number =>
  calls.reduce((sum, call) => sum + call[unit], 0);

/** How long a subject takes here, on DynamoDB Local, in milliseconds; authentication included. */
export interface LocalLatency {
  readonly subject: string;
  readonly job: 'new transfer' | 'replay';
  readonly p50: number;
  readonly p99: number;
}

/** Times every subject in turn, so that whatever else the machine does meets them alike. */
export async function measureLatency({ subjects }: LocalBench, rounds: number): Promise<readonly LocalLatency[]> {
  const times = new Map(subjects.map(({ name }) => [name, { first: [] as number[], again: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, handler } of subjects) {
      const key = randomUUID();
      times.get(name)?.first.push(await timed(() => handler(transferEvent(key), lambdaContext())));
      times.get(name)?.again.push(await timed(() => handler(transferEvent(key), lambdaContext())));
    }
  }
  return [...times].flatMap(([subject, { first, again }]) => [
    { subject, job: 'new transfer' as const, p50: median(first), p99: percentile(first, 0.99) },
    { subject, job: 'replay' as const, p50: median(again), p99: percentile(again, 0.99) },
  ]);
}

/** In milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
