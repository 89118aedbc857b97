import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { readRequest } from '../../lib/http/request.ts';
import { httpEvent } from '../setup/http-event.ts';
import { ModelledAws } from './modelled-aws.ts';
import { median, percentile } from './percentile.ts';
import { underClock } from './stopped-clock.ts';
import { lowLevelClient, withRequestTokens } from './subjects/low-level-client.ts';
import { naiveTransfers } from './subjects/naive.ts';
import { powertoolsTransfers } from './subjects/powertools.ts';
import { semelTransfers } from './subjects/semel.ts';
import type { JobResponse } from './subjects/transfer-job.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<JobResponse>;

/** The subjects over a modelled AWS; nobody's authentication is part of it. */
const SUBJECTS: Readonly<Record<string, (aws: ModelledAws) => Handler>> = {
  naive: (aws) => naiveTransfers(jobStore(aws)),
  powertools: (aws) => {
    const layer = new DynamoDBPersistenceLayer({ tableName: 'powertools', awsSdkV3Client: lowLevelClient(aws.client) });
    return powertoolsTransfers(jobStore(aws), layer);
  },
  semel: (aws) => {
    const route = semelTransfers(aws.engine());
    return (event, context) => route(readRequest(event), context);
  },
};

const jobStore = ({ client }: ModelledAws) => ({
  client: withRequestTokens(client),
  dataTable: 'data',
  caller: 'alice',
});

/** The longest that an HTTP function may take. */
const FUNCTION_TIME = 25_000;

const contextOf = ({ time }: ModelledAws): Context => {
  const endsAt = time.now + FUNCTION_TIME;
  return { getRemainingTimeInMillis: () => endsAt - time.now } as Context;
};

const eventOf = (key: string, hinted = false) =>
  httpEvent({
    route: 'POST /transfers',
    headers: { 'idempotency-key': key, ...(hinted && { 'idempotency-attempt': '2' }) },
    body: { from: 'acct_alice', to: 'acct_bob', amount: 1 },
  });

/** How long a request takes at modelled service times, in milliseconds: DynamoDB's share, without CPU and network. */
export interface ModelledLatency {
  readonly subject: string;
  readonly job: string;
  readonly p50: number;
  readonly p99: number;
}

/** Every subject makes transfers one after the other, each sent again and once more with the hint. */
export async function modelLatency(seed: number, transfers: number): Promise<readonly ModelledLatency[]> {
  const latencies: ModelledLatency[] = [];
  for (const [subject, make] of Object.entries(SUBJECTS)) {
    const aws = new ModelledAws(seed);
    const handler = make(aws);
    const times: Record<string, number[]> = { 'new transfer': [], replay: [], 'hinted replay': [] };
    const request = async (job: string, event: APIGatewayProxyEventV2) => {
      const started = aws.time.now;
      await handler(event, contextOf(aws));
      times[job]?.push(aws.time.now - started);
    };
    const all = async () => {
      for (let index = 0; index < transfers; index++) {
        await request('new transfer', eventOf(`k${index}`));
        await request('replay', eventOf(`k${index}`));
        await request('hinted replay', eventOf(`k${index}`, true));
      }
    };
    await underClock(
      () => aws.time.now,
      () => aws.time.run(all()),
    );
    for (const [job, taken] of Object.entries(times)) {
      latencies.push({ subject, job, p50: median(taken), p99: percentile(taken, 0.99) });
    }
  }
  return latencies;
}

/** What becomes of the same request, sent by so many at the same moment. */
export interface Storm {
  readonly subject: string;
  readonly clients: number;
  readonly effects: number;
  /** The share that was answered with the reply at the first try; the others were told to come back. */
  readonly answered: number;
  /** To DynamoDB, for each client, until every client has the reply. */
  readonly requests: number;
  /** From the first request to the reply, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export const STORM_SIZES = [1, 10, 100, 1_000] as const;

/** Small storms are repeated until there are so many clients. */
const CLIENTS_IN_ALL = 300;
/** Without idempotency a thousand clients queue for one account for minutes, and say nothing new. */
const MOST_NAIVE = 100;

export async function modelStorms(seed: number): Promise<readonly Storm[]> {
  const storms: Storm[] = [];
  for (const clients of STORM_SIZES) {
    for (const [subject, make] of Object.entries(SUBJECTS)) {
      if (subject === 'naive' && clients > MOST_NAIVE) continue;
      const outcomes: StormOutcome[] = [];
      for (let repeat = 0; repeat < Math.max(1, CLIENTS_IN_ALL / clients); repeat++) {
        outcomes.push(await storm(new ModelledAws(seed + repeat), make, clients));
      }
      storms.push({ subject, clients, ...summary(outcomes) });
    }
  }
  return storms;
}

interface StormOutcome {
  readonly effects: number;
  readonly firstAnswers: readonly number[];
  readonly requests: number;
  readonly taken: readonly number[];
}

function summary(outcomes: readonly StormOutcome[]) {
  const first = outcomes.flatMap(({ firstAnswers }) => firstAnswers);
  const taken = outcomes.flatMap((outcome) => outcome.taken);
  return {
    effects: Math.max(...outcomes.map(({ effects }) => effects)),
    answered: first.filter((status) => status === 201).length / first.length,
    requests: outcomes.reduce((sum, { requests }) => sum + requests, 0) / first.length,
    ...{ p50: median(taken), p99: percentile(taken, 0.99) },
  };
}

async function storm(aws: ModelledAws, make: (aws: ModelledAws) => Handler, clients: number): Promise<StormOutcome> {
  const handler = make(aws);
  const started = aws.time.now;
  const firstAnswers: number[] = [];
  const client = async () => {
    for (let attempt = 1; ; attempt++) {
      const { statusCode, headers } = await handler(eventOf('k'), contextOf(aws));
      if (attempt === 1) firstAnswers.push(statusCode);
      if (statusCode === 201) return aws.time.now - started;
      if (attempt === MOST_ATTEMPTS) throw new Error(`A client was told ${statusCode} ${attempt} times.`);
      await aws.time.sleep(1_000 * Number(headers['retry-after'] ?? 1));
    }
  };
  const taken = await underClock(
    () => aws.time.now,
    () => aws.time.run(Promise.all(Array.from({ length: clients }, client))),
  );
  const effects = aws.dynamodb.items('data').filter(({ kind }) => kind === 'transfer').length;
  return { effects, firstAnswers, requests: aws.requests, taken };
}

/** The naive subject's transfers contend for one account until the last one is through. */
const MOST_ATTEMPTS = 10_000;
