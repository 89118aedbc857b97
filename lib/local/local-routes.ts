import type { IncomingHttpHeaders } from 'node:http';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type BackgroundFaults, readBackgroundFault } from './background-faults.ts';
import type { CallLog } from './call-log.ts';
import type { DeadLetter } from './dead-letters.ts';
import { dropsResponse, parseFaults } from './faults.ts';
import { type HttpAnswer, problemAnswer } from './http-answer.ts';
import { naiveCharge } from './naive-charge.ts';
import type { QueueState } from './queues.ts';
import { answerSandbox, isSandboxPath } from './sandbox-page.ts';
import type { RunningSchedules } from './schedules.ts';
import type { TableNames } from './seeded-tables.ts';
import { sizeWrites } from './size-writes.ts';
import { readItems } from './table-contents.ts';

interface LocalRoutes {
  readonly client: DynamoDBDocumentClient;
  readonly calls: CallLog;
  readonly tableNames: TableNames;
  readonly schedules: RunningSchedules;
  readonly faults: BackgroundFaults;
  /** Where the payment provider answers; undefined where the stack has none. */
  readonly providerUrl: string | undefined;
  readonly queueState: () => { readonly queues: readonly QueueState[]; readonly deadLetters: readonly DeadLetter[] };
  /** Empties everything and seeds it again. */
  readonly reset: () => Promise<void>;
}

export interface LocalRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** Does the local cloud itself answer a path, which the deployed stack never has? */
export const isLocalPath = (path: string): boolean => path.startsWith('/_local/') || isSandboxPath(path);

/**
 * Answers the local cloud's own paths: what tests and people look at.
 * @returns undefined when the client's connection is to be cut instead
 */
export async function answerLocal(routes: LocalRoutes, request: LocalRequest): Promise<HttpAnswer | undefined> {
  const { method, path, query, body } = request;
  if (isSandboxPath(path)) return answerSandbox(method, path);
  const [, job] = /^POST \/_local\/jobs\/([\w-]+)$/.exec(`${method} ${path}`) ?? [];
  if (job !== undefined) return runJob(routes, job, query.get('input') ?? undefined);
  switch (`${method} ${path}`) {
    case 'GET /_local/state':
      return json(200, await state(routes));
    case 'GET /_local/calls': {
      const wanted = {
        operation: query.get('operation'),
        request: query.get('request'),
        function: query.get('function'),
      };
      return json(200, { calls: await sizeWrites(routes.client, routes.calls.find(wanted)) });
    }
    case 'POST /_local/reset':
      await routes.reset();
      return NOTHING;
    case 'POST /_local/naive/charges':
      return chargeNaively(routes, request);
    case 'POST /_local/faults':
      return orderFault(routes, body);
    case 'DELETE /_local/faults':
      routes.faults.clear();
      return NOTHING;
    default:
      return problemAnswer(
        404,
        'No such local route',
        'GET /_local/state, GET /_local/calls?operation=, POST /_local/reset, POST /_local/jobs/{name}, POST /_local/naive/charges, POST and DELETE /_local/faults are.',
      );
  }
}

/** Starts a scheduled function now and answers what it returned. */
async function runJob({ schedules }: LocalRoutes, job: string, input: string | undefined): Promise<HttpAnswer> {
  const outcome = await schedules.run(job, input);
  if (outcome === undefined) {
    const known = schedules.names.join(', ') || 'none';
    return problemAnswer(404, 'No such job', `No schedule begins with ${job}. There are: ${known}.`);
  }
  return json(outcome.kind === 'returned' ? 200 : 502, outcome);
}

/** The faults of the way there are those of the wallet's own routes. */
async function chargeNaively(
  { providerUrl }: LocalRoutes,
  { body, headers }: LocalRequest,
): Promise<HttpAnswer | undefined> {
  const faults = parseFaults(headers['local-fault'] as string | undefined);
  if (typeof faults === 'string') return problemAnswer(400, 'Unknown fault', faults);
  const answer = await naiveCharge(providerUrl, body, headers['idempotency-key'] as string | undefined);
  return dropsResponse(faults) ? undefined : answer;
}

/** What goes wrong from now on in functions that no client waits for. */
function orderFault({ faults }: LocalRoutes, body: Buffer): HttpAnswer {
  const fault = readBackgroundFault(parsed(body));
  if (typeof fault === 'string') return problemAnswer(400, 'Unknown fault', fault);
  faults.add(fault);
  return NOTHING;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

async function state({ client, tableNames, queueState }: LocalRoutes) {
  const read = (table: string | undefined) => (table === undefined ? [] : readItems(client, table));
  const [semel, data, charges] = await Promise.all([
    read(tableNames.idempotency),
    read(tableNames.data),
    read(tableNames.provider),
  ]);
  return {
    records: semel.filter(({ pk }) => String(pk).startsWith('key#')),
    entries: data.filter(({ sk }) => sk === 'entry'),
    providerCharges: charges.filter(({ pk }) => String(pk).startsWith('charge#')).map(providerCharge),
    ...queueState(),
  };
}

/** What the sandbox provider has on its books. */
const providerCharge = ({ id, reference, amount, status }: Record<string, unknown>) => ({
  ...{ id, reference, amount, status },
});

const json = (status: number, value: unknown): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  cookies: [],
  body: Buffer.from(JSON.stringify(value, plainly)),
});

const NOTHING: HttpAnswer = { ...json(204, null), headers: {}, body: Buffer.alloc(0) };

/** Sets and binary attributes, which JSON would show as empty objects and as objects of indices. */
function plainly(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
