import { randomBytes } from 'node:crypto';
import { ENVIRONMENT } from '../environment.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { CallLog } from './call-log.ts';
import { type RunningDynamoDb, startDynamoDb } from './dynamodb.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';
import { type FunctionDefinition, readFunctions } from './functions.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { readPolicies } from './iam.ts';
import { listNotRun, type Place } from './identities.ts';
import { answerLocal } from './local-routes.ts';
import { recordCall } from './record-call.ts';
import { readRoutes } from './routes.ts';
import { SetupError } from './setup-error.ts';
import { modelStack } from './stack-model.ts';
import { emptyTable, putIfAbsent } from './table-contents.ts';
import { createTables, deleteTables, localClient, readTables } from './tables.ts';
import { readAssembly } from './template.ts';
import { WorkerPool } from './worker-pool.ts';

export interface LocalCloudOptions {
  /** What `cdk synth` wrote: the directory cdk.out. */
  readonly assembly: string;
  /** The port of the HTTP API; 0 finds a free one. @default 4000 */
  readonly port?: number;
  /** Keeps the tables over restarts, in this directory. @default in memory */
  readonly dataDir?: string;
  /** A DynamoDB Local that already runs. @default one of its own */
  readonly dynamodbEndpoint?: string;
  /** Items to be there at the start and after a reset; what is there already stays as it is. */
  readonly seed?: readonly { readonly table: TableRole; readonly Item: Record<string, unknown> }[];
  /** Takes what the functions print, line by line. @default nothing is printed */
  readonly log?: (line: string) => void;
  /** Environment variables for every function, over the template's. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The two tables that the functions know, by the environment variables that name them. */
export type TableRole = 'idempotency' | 'data';

export interface LocalCloud {
  readonly url: string;
  readonly dynamodbEndpoint: string;
  readonly tableNames: Readonly<Partial<Record<TableRole, string>>>;
  /** The types of resources that need no running, with their number. */
  readonly notRun: readonly string[];
  /** For tests: `proxy.outage(true)` makes DynamoDB unreachable for the functions. */
  readonly proxy: Pick<AwsProxy, 'outage'>;
  stop(): Promise<void>;
}

const REGION = 'us-east-1';
const ACCOUNT = '123456789012';

/**
 * Runs a synthesized stack on this machine: tables on DynamoDB Local, functions in worker threads, routes over HTTP.
 * @throws SetupError when something on the machine or in the template keeps it from running as it would deploy
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const cleanups: (() => Promise<void>)[] = [];
  try {
    return await start(options, cleanups);
  } catch (error) {
    await runAll(cleanups);
    throw error;
  }
}

async function start(options: LocalCloudOptions, cleanups: (() => Promise<void>)[]): Promise<LocalCloud> {
  const started = async <T>(starting: Promise<T>, end: (what: T) => Promise<void>): Promise<T> => {
    const what = await starting;
    cleanups.push(() => end(what));
    return what;
  };
  const assembly = readAssembly(options.assembly);
  const server: HttpServer = await started(startHttpServer(options.port ?? 4000), (http) => http.close());
  const suffix = options.dataDir === undefined ? randomBytes(3).toString('hex') : '';
  const place: Place = { stackName: assembly.stackName, region: REGION, account: ACCOUNT, suffix, apiUrl: server.url };
  const stack = modelStack(assembly, place);
  const [functions, policies, routes, tables] = [
    readFunctions(stack),
    readPolicies(stack),
    readRoutes(stack),
    readTables(stack),
  ];
  const tableNames = findTables(functions);

  const dynamodb = await started(dynamoDb(options), (database) => database.stop());
  const client = localClient(dynamodb.endpoint);
  const seed = async () => {
    await Promise.all(
      (options.seed ?? []).map(({ table, Item }) => putIfAbsent(client, nameOf(tableNames, table), Item)),
    );
  };
  await started(createTables(client, tables), async () => {
    if (options.dataDir === undefined)
      await deleteTables(
        client,
        tables.map(({ TableName }) => TableName),
      );
    client.destroy();
  });
  await seed();

  const calls = new CallLog();
  const environments = new Map<string, ExecutionEnvironment>();
  const proxy = await started(
    startAwsProxy(() => ({
      dynamodbEndpoint: dynamodb.endpoint,
      environmentOf: (accessKey) => environments.get(accessKey),
      policiesOf: (roleArn) => policies.get(roleArn) ?? [],
      tableArn: (table) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`,
      record: (call, reaction) => calls.add(recordCall(call, reaction)),
    })),
    (running) => running.close(),
  );
  const host = {
    region: REGION,
    proxyUrl: proxy.url,
    environment: options.environment ?? {},
    log: options.log ?? (() => {}),
  };
  const register = (environment: ExecutionEnvironment) => environments.set(environment.accessKey, environment);
  const pools = new Map(functions.map((definition) => [definition.arn, new WorkerPool(definition, host, register)]));
  cleanups.push(() => runAll([...pools.values()].map((pool) => () => pool.close())));

  const reset = async () => {
    await Promise.all(tables.map((table) => emptyTable(client, table)));
    calls.clear();
    await seed();
  };
  server.open({
    place,
    routes,
    poolOf: (functionArn) => poolOf(pools, functionArn),
    answerLocal: (method, path, query) =>
      answerLocal({ client, calls, tables: tableNames, reset }, method, path, query),
    answered: (invocation, operation) => calls.answered(invocation, operation),
  });
  return {
    url: server.url,
    dynamodbEndpoint: dynamodb.endpoint,
    tableNames,
    notRun: listNotRun(assembly.template),
    proxy,
    stop: () => runAll(cleanups.splice(0).reverse()),
  };
}

const dynamoDb = async ({ dynamodbEndpoint, dataDir }: LocalCloudOptions): Promise<RunningDynamoDb> =>
  dynamodbEndpoint === undefined
    ? startDynamoDb(dataDir === undefined ? {} : { dataDir })
    : { endpoint: dynamodbEndpoint, stop: async () => {} };

/** The functions say which table is which: by the variables that name them. */
function findTables(functions: readonly FunctionDefinition[]): Partial<Record<TableRole, string>> {
  const names: Partial<Record<TableRole, string>> = {};
  for (const { name, environment } of functions) {
    for (const [role, variable] of [
      ['idempotency', ENVIRONMENT.idempotencyTable],
      ['data', ENVIRONMENT.dataTable],
    ] as const) {
      const table = environment[variable];
      if (table !== undefined && table !== (names[role] ?? table))
        throw new SetupError(`${name}: another ${variable} than the other functions have.`);
      if (table !== undefined) names[role] = table;
    }
  }
  return names;
}

function nameOf(tableNames: Partial<Record<TableRole, string>>, role: TableRole): string {
  const name = tableNames[role];
  if (name === undefined)
    throw new SetupError(`There is nothing to seed: no function of the stack has a ${role} table.`);
  return name;
}

function poolOf(pools: ReadonlyMap<string, WorkerPool>, functionArn: string): WorkerPool {
  const pool = pools.get(functionArn);
  if (pool === undefined) throw new SetupError(`A route leads to ${functionArn}, which is not part of the stack.`);
  return pool;
}

async function runAll(cleanups: readonly (() => Promise<void>)[]): Promise<void> {
  for (const cleanup of cleanups) await cleanup();
}
