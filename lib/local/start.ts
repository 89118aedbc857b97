import { randomBytes } from 'node:crypto';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { CallLog } from './call-log.ts';
import { Cleanup } from './cleanup.ts';
import { type RunningDynamoDb, startDynamoDb } from './dynamodb.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';
import { type FunctionDefinition, readFunctions } from './functions.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { readPolicies, type Statement } from './iam.ts';
import { listNotRun, type Place } from './identities.ts';
import { answerLocal } from './local-routes.ts';
import { recordCall } from './record-call.ts';
import { type HttpApi, readApis } from './routes.ts';
import { type RunningSchedules, readSchedules, runSchedules, type ScheduleDefinition } from './schedules.ts';
import { findTables, type Seed, seedTables, type TableNames } from './seeded-tables.ts';
import { SetupError } from './setup-error.ts';
import { modelStack } from './stack-model.ts';
import { localClient, readTables, type TableDefinition } from './tables.ts';
import { type Assembly, readAssembly } from './template.ts';
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
  readonly seed?: Seed;
  /** Takes what the functions print, line by line. @default nothing is printed */
  readonly log?: (line: string) => void;
  /** Environment variables for every function, over the template's. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface LocalCloud {
  /** Where the HTTP API answers. */
  readonly url: string;
  readonly dynamodbEndpoint: string;
  readonly tableNames: TableNames;
  /** The types of resources that need no running, with their number. */
  readonly notRun: readonly string[];
  /** For tests: `proxy.outage(true)` makes DynamoDB unreachable for the functions. */
  readonly proxy: Pick<AwsProxy, 'outage'>;
  stop(): Promise<void>;
}

/** What the template says, read as a whole before anything starts. */
interface Blueprint {
  readonly place: Place;
  readonly functions: readonly FunctionDefinition[];
  readonly policies: ReadonlyMap<string, readonly Statement[]>;
  readonly apis: readonly HttpApi[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly tables: readonly TableDefinition[];
  readonly tableNames: TableNames;
}

const REGION = 'us-east-1';
const ACCOUNT = '123456789012';
/** What a worker sent just before it ended is still on its way to the proxy, and still applies. Milliseconds. */
const FORGET_AFTER = 10_000;

/**
 * Runs a synthesized stack on this machine: tables on DynamoDB Local, functions in worker threads, routes over HTTP.
 * @throws SetupError when something on the machine or in the template keeps it from running as it would deploy
 * @example
 * const cloud = await startLocalCloud({ assembly: 'cdk.out', port: 0 });
 * await fetch(`${cloud.url}/health`);
 * await cloud.stop();
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const cleanup = new Cleanup();
  try {
    return await start(options, cleanup);
  } catch (error) {
    await cleanup.run().catch(() => {});
    throw error;
  }
}

async function start(options: LocalCloudOptions, cleanup: Cleanup): Promise<LocalCloud> {
  const assembly = readAssembly(options.assembly);
  const servers = await startServers(assembly, options.port ?? 4000, cleanup);
  const blueprint = readBlueprint(assembly, servers, options);
  const { tables, tableNames } = blueprint;

  const dynamodb = await cleanup.started(joinDynamoDb(options), (database) => database.stop());
  const client = localClient(dynamodb.endpoint);
  const seeded = await cleanup.started(seedTables(client, tables, tableNames, options.seed ?? []), async (made) => {
    if (options.dataDir === undefined) await made.delete();
    client.destroy();
  });

  const calls = new CallLog();
  const { proxy, pools } = await startFunctions(blueprint, dynamodb.endpoint, calls, options, cleanup);
  const reset = async (): Promise<void> => {
    await seeded.reset();
    calls.clear();
  };
  const schedules = await cleanup.started(startSchedules(blueprint, pools), async (running) => running.stop());
  for (const { logicalId, routes } of blueprint.apis) {
    servers.get(logicalId)?.open({
      place: blueprint.place,
      routes,
      poolOf: (functionArn) => poolOf(pools, functionArn),
      answerLocal: (...asked) => answerLocal({ client, calls, tableNames, schedules, reset }, ...asked),
      answered: (invocation, operation) => calls.answered(invocation, operation),
    });
  }
  const [main] = servers.values();
  return {
    url: main?.url ?? '',
    dynamodbEndpoint: dynamodb.endpoint,
    tableNames,
    notRun: listNotRun(assembly.template),
    proxy,
    stop: () => cleanup.run(),
  };
}

/** One server for each HTTP API of the template: the first on the port asked for, the others on free ones. */
async function startServers(assembly: Assembly, port: number, cleanup: Cleanup): Promise<Map<string, HttpServer>> {
  const servers = new Map<string, HttpServer>();
  for (const [logicalId, { Type: type }] of Object.entries(assembly.template.Resources)) {
    if (type !== 'AWS::ApiGatewayV2::Api') continue;
    const starting = startHttpServer(servers.size === 0 ? port : 0);
    servers.set(logicalId, await cleanup.started(starting, (http) => http.close()));
  }
  return servers;
}

/** The functions run in the background; what they end with is in their logs. */
async function startSchedules(
  { schedules }: Blueprint,
  pools: ReadonlyMap<string, WorkerPool>,
): Promise<RunningSchedules> {
  return runSchedules(schedules, (functionArn, event) => poolOf(pools, functionArn).invoke(event).outcome);
}

function readBlueprint(
  assembly: Assembly,
  servers: ReadonlyMap<string, HttpServer>,
  { dataDir }: LocalCloudOptions,
): Blueprint {
  const suffix = dataDir === undefined ? randomBytes(3).toString('hex') : '';
  const apiUrls = new Map([...servers].map(([logicalId, { url }]) => [logicalId, url]));
  const place = { stackName: assembly.stackName, region: REGION, account: ACCOUNT, suffix, apiUrls };
  const stack = modelStack(assembly, place);
  const functions = readFunctions(stack);
  return {
    place,
    functions,
    policies: readPolicies(stack),
    apis: readApis(stack),
    schedules: readSchedules(stack),
    tables: readTables(stack),
    tableNames: findTables(functions),
  };
}

const joinDynamoDb = async ({ dynamodbEndpoint, dataDir }: LocalCloudOptions): Promise<RunningDynamoDb> =>
  dynamodbEndpoint === undefined
    ? startDynamoDb(dataDir === undefined ? {} : { dataDir })
    : { endpoint: dynamodbEndpoint, stop: async () => {} };

/** The proxy first, since its address is in every function's environment. */
async function startFunctions(
  { functions, policies }: Blueprint,
  dynamodbEndpoint: string,
  calls: CallLog,
  options: LocalCloudOptions,
  cleanup: Cleanup,
): Promise<{ proxy: AwsProxy; pools: ReadonlyMap<string, WorkerPool> }> {
  const environments = new Map<string, ExecutionEnvironment>();
  const settings = {
    dynamodbEndpoint,
    environmentOf: (accessKey: string) => environments.get(accessKey),
    policiesOf: (roleArn: string) => policies.get(roleArn) ?? [],
    tableArn: (table: string) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`,
    record: (...call: Parameters<typeof recordCall>) => calls.add(recordCall(...call)),
  };
  const proxy = await cleanup.started(startAwsProxy(settings), (running) => running.close());
  const { environment = {}, log = () => {} } = options;
  const host = { region: REGION, proxyUrl: proxy.url, environment, log };
  const register = (started: ExecutionEnvironment) => {
    environments.set(started.accessKey, started);
    void started.exited.then(() => setTimeout(() => environments.delete(started.accessKey), FORGET_AFTER).unref());
  };
  const pools = new Map(functions.map((definition) => [definition.arn, new WorkerPool(definition, host, register)]));
  await cleanup.started(Promise.resolve(pools.values()), async (all) => {
    await Promise.all([...all].map((pool) => pool.close()));
  });
  return { proxy, pools };
}

function poolOf(pools: ReadonlyMap<string, WorkerPool>, functionArn: string): WorkerPool {
  const pool = pools.get(functionArn);
  if (pool === undefined) throw new SetupError(`Something leads to ${functionArn}, which is not part of the stack.`);
  return pool;
}
