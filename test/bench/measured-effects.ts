import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createEngine } from '../../lib/engine/engine.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Effect } from '../../lib/protocol/plan.ts';
import { documentClient } from '../../lib/store/document-client.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import type { LocalBench } from './local-subjects.ts';
import { timed } from './measured-requests.ts';
import { median } from './percentile.ts';
import { commit } from './subjects/transfer-job.ts';

/** What a job with so many effects takes on DynamoDB Local. */
export interface EffectsCost {
  readonly subject: string;
  readonly effects: number;
  readonly requests: number;
  readonly writeUnits: number;
  readonly p50: number;
}

/** 99 effects and the record are the 100 items that a transaction takes. */
export const EFFECT_COUNTS = [1, 10, 99] as const;

const Input = z.object({ effects: z.int() });

/** So many small items, none of which was there before. */
const effectsOf = (count: number): readonly Effect[] => {
  const id = randomUUID();
  return Array.from({ length: count }, (_, index) => ({
    Put: {
      Item: { pk: `bench#${id}`, sk: String(index), amount: index, note: 'one of the effects of one operation' },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }));
};

type Job = (effects: number) => Promise<unknown>;

/** Lets every subject write ever more in one operation, in turn. */
export async function measureEffects(bench: LocalBench, rounds: number): Promise<readonly EffectsCost[]> {
  const costs: EffectsCost[] = [];
  const jobs = Object.entries(jobsOf(bench));
  for (const effects of EFFECT_COUNTS) {
    const times = new Map<string, number[]>(jobs.map(([name]) => [name, []]));
    const counted = new Map<string, { requests: number; writeUnits: number }>();
    for (const [name, job] of jobs) counted.set(name, await counting(bench, () => job(effects)));
    for (let round = 0; round < rounds; round++) {
      for (const [name, job] of jobs) times.get(name)?.push(await timed(() => job(effects)));
    }
    for (const [subject] of jobs) {
      const { requests = 0, writeUnits = 0 } = counted.get(subject) ?? {};
      costs.push({ subject, effects, requests, writeUnits, p50: median(times.get(subject) ?? []) });
    }
  }
  return costs;
}

async function counting({ proxy }: LocalBench, run: () => Promise<unknown>) {
  await run();
  await proxy.take();
  await run();
  const calls = await proxy.take();
  return { requests: calls.length, writeUnits: calls.reduce((sum, call) => sum + call.writeUnits, 0) };
}

function jobsOf({ proxy, store, peerTable }: LocalBench): Readonly<Record<string, Job>> {
  const client = documentClient({ endpoint: proxy.url, region: 'eu-central-1' });
  const naive = (effects: number) => commit({ client, dataTable: store.dataTable }, effectsOf(effects));
  const layer = new DynamoDBPersistenceLayer({ tableName: peerTable, awsSdkV3Client: new DynamoDBClient() });
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'key', lambdaContext: lambdaContext() });
  const once = makeIdempotent(
    async ({ effects }: { key: string; effects: number }) => {
      await naive(effects);
      return { written: effects };
    },
    { persistenceStore: layer, config },
  );
  const handler = endpoint({
    engine: createEngine({ store: { ...store, client } }),
    ...{ authenticate: async () => 'alice', operation: 'write', mode: 'atomic', body: Input },
    run: ({ body }) => ({ effects: effectsOf(body.effects), reply: { status: 201, body: { written: body.effects } } }),
  });
  const request = (effects: number) =>
    httpEvent({ route: 'POST /writes', headers: { 'idempotency-key': randomUUID() }, body: { effects } });
  return {
    naive,
    powertools: (effects) => once({ key: randomUUID(), effects }),
    semel: (effects) => handler(request(effects), lambdaContext()),
  };
}
