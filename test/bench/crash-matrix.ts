import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import type { HttpResponse } from '../../lib/http/respond.ts';
import { insist } from '../crash/client.ts';
import { explore, type Scenario } from '../crash/explorer.ts';
import type { Budget } from '../crash/scheduler.ts';
import { seededWorld, type World } from '../crash/world.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { underClock } from './stopped-clock.ts';
import { lowLevelClient, withRequestTokens } from './subjects/low-level-client.ts';
import { naiveTransfers } from './subjects/naive.ts';
import { powertoolsTransfers } from './subjects/powertools.ts';
import { powertoolsMiddyTransfers } from './subjects/powertools-middy.ts';
import { semelTransfers } from './subjects/semel.ts';
import type { JobResponse, JobStore } from './subjects/transfer-job.ts';

type Event = ReturnType<typeof httpEvent>;
type Handler = (event: Event, context: Context) => Promise<JobResponse>;

/** What a subject does with one request in one execution environment of its own. */
type Send = (world: World, event: Event) => Promise<HttpResponse>;

/** Code that is no engine: a fresh one for each request, as after a cold start. */
const visiting =
  (make: (store: JobStore, layer: DynamoDBPersistenceLayer) => Handler): Send =>
  (world, event) =>
    world.visit(async (client) => {
      const layer = new DynamoDBPersistenceLayer({ tableName: 'powertools', awsSdkV3Client: lowLevelClient(client) });
      const handler = make({ client: withRequestTokens(client), dataTable: 'data', caller: 'alice' }, layer);
      return (await handler(event, lambdaContext())) as HttpResponse;
    });

const SUBJECTS: Readonly<Record<string, Send>> = {
  naive: visiting((store) => naiveTransfers(store)),
  'powertools, function wrapper': visiting(powertoolsTransfers),
  'powertools, middy': visiting(powertoolsMiddyTransfers),
  semel: (world, event) => world.request(semelTransfers, event),
};

/** Who sends what how often, and how much may go wrong. */
interface Situation {
  readonly name: string;
  readonly clients: number;
  readonly budget: Budget;
}

const SITUATIONS: readonly Situation[] = [
  { name: 'one client, one fault', clients: 1, budget: { faults: 1, switches: 0 } },
  { name: 'one client, one fault, zombies wake any time', clients: 1, budget: { faults: 1, switches: 1 } },
  { name: 'one client, two faults', clients: 1, budget: { faults: 2, switches: 0 } },
  { name: 'two clients at once, one fault', clients: 2, budget: { faults: 1, switches: 1 } },
];

/** What a subject made of every schedule of a situation. */
export interface CrashTally {
  readonly situation: string;
  readonly subject: string;
  readonly schedules: number;
  /** The money moved more than once. */
  readonly duplicates: number;
  /** Somebody was told 201 and the money did not move. */
  readonly lost: number;
  /** Two answers of 201 to one key said different things. */
  readonly differing: number;
  /** A sole client's first request was told that it is in flight already. */
  readonly falseConflicts: number;
  /** A sole client was kept waiting by a record that nobody worked on any more. */
  readonly blocked: number;
  /** For how many seconds of the model, at most. */
  readonly longestBlocked: number;
}

/** Past what any subject needs within these budgets. */
const MOST_SCHEDULES = 20_000;

/** Takes every subject through every schedule of the same faults. */
export async function crashMatrix(): Promise<readonly CrashTally[]> {
  const tallies: CrashTally[] = [];
  for (const situation of SITUATIONS) {
    for (const [subject, send] of Object.entries(SUBJECTS)) tallies.push(await tally(situation, subject, send));
  }
  return tallies;
}

async function tally(situation: Situation, subject: string, send: Send): Promise<CrashTally> {
  const counts = { duplicates: 0, lost: 0, differing: 0, falseConflicts: 0, blocked: 0, longestBlocked: 0 };
  let world: World | undefined;
  const scenario: Scenario = {
    name: subject,
    budget: situation.budget,
    start: (scheduler) => {
      world = seededWorld(scheduler, { powertools: { keys: ['id'] } });
      const runs = startClients(world, situation.clients, send);
      const current = world;
      return () => {
        judge(current, runs, counts);
        return [];
      };
    },
  };
  const { schedules, exhausted } = await underClock(
    () => world?.now ?? 0,
    () => explore(scenario, { most: MOST_SCHEDULES }),
  );
  if (!exhausted) throw new Error(`${subject} has more than ${MOST_SCHEDULES} schedules in "${situation.name}".`);
  return { situation: situation.name, subject, schedules, ...counts };
}

/** One request of a client, and what it was told; undefined: nothing. */
interface Told {
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly at: number;
}

function startClients(world: World, clients: number, send: Send): readonly (readonly Told[])[] {
  const body = { from: 'acct_alice', to: 'acct_bob', amount: 500 };
  const event = httpEvent({ route: 'POST /transfers', headers: { 'idempotency-key': 'k' }, body });
  return Array.from({ length: clients }, () => {
    const told: Told[] = [];
    const note = (response?: HttpResponse) =>
      told.push({ status: response?.statusCode, body: response?.body, at: world.now });
    const request = async () => {
      try {
        const response = await send(world, event);
        note(response);
        return response;
      } catch (error) {
        note();
        throw error;
      }
    };
    insist(world, request).catch((error: unknown) => world.violations.push(String(error)));
    return told;
  });
}

type Counts = { -readonly [Count in keyof Omit<CrashTally, 'situation' | 'subject' | 'schedules'>]: number };

function judge(world: World, clients: readonly (readonly Told[])[], counts: Counts): void {
  const effects = world.dynamodb.items('data').filter(({ kind }) => kind === 'transfer').length;
  const successes = clients.flat().filter(({ status }) => status === 201);
  if (effects > 1) counts.duplicates++;
  if (successes.length > 0 && effects === 0) counts.lost++;
  if (new Set(successes.map(({ body }) => body)).size > 1) counts.differing++;
  if (clients.length === 1 && clients[0]?.[0]?.status === 409) counts.falseConflicts++;
  const blocked = clients.length === 1 ? blockedFor(clients[0] ?? []) : 0;
  if (blocked > 0) counts.blocked++;
  counts.longestBlocked = Math.max(counts.longestBlocked, blocked);
}

/** For how many seconds a sole client was told that its request is in flight, until it was told the outcome. */
function blockedFor(told: readonly Told[]): number {
  const first = told.find(({ status }) => status === 409);
  const last = told.at(-1);
  return first === undefined || last === undefined ? 0 : (last.at - first.at) / 1_000;
}
