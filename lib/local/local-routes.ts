import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CallLog } from './call-log.ts';
import { type HttpAnswer, problemAnswer } from './http-answer.ts';
import type { RunningSchedules } from './schedules.ts';
import type { TableNames } from './seeded-tables.ts';
import { sizeWrites } from './size-writes.ts';
import { readItems } from './table-contents.ts';

interface LocalRoutes {
  readonly client: DynamoDBDocumentClient;
  readonly calls: CallLog;
  readonly tableNames: TableNames;
  readonly schedules: RunningSchedules;
  /** Empties everything and seeds it again. */
  readonly reset: () => Promise<void>;
}

/** Answers the paths below `/_local/`: what tests and people look at, and what the deployed stack never has. */
export async function answerLocal(
  routes: LocalRoutes,
  method: string,
  path: string,
  query: URLSearchParams,
): Promise<HttpAnswer> {
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
      return { ...json(204, null), body: Buffer.alloc(0) };
    default:
      return problemAnswer(
        404,
        'No such local route',
        'GET /_local/state, GET /_local/calls?operation=, POST /_local/reset and POST /_local/jobs/{name} are.',
      );
  }
}

/** Starts a scheduled function now and answers what it returned. */
async function runJob({ schedules }: LocalRoutes, job: string, input: string | undefined): Promise<HttpAnswer> {
  const outcome = await schedules.run(job, input);
  if (outcome === undefined) return problemAnswer(404, 'No such job', `No schedule of the stack begins with ${job}.`);
  return json(outcome.kind === 'returned' ? 200 : 502, outcome);
}

async function state({ client, tableNames }: LocalRoutes) {
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
    queues: [],
    deadLetters: [],
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

/** Sets and binary attributes, which JSON would show as empty objects and as objects of indices. */
function plainly(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
