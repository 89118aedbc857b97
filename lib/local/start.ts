import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { background, poolOf } from './background.ts';
import { BackgroundFaults } from './background-faults.ts';
import { type Blueprint, REGION, readBlueprint } from './blueprint.ts';
import { CallLog } from './call-log.ts';
import { Cleanup } from './cleanup.ts';
import { lockData } from './data-lock.ts';
import { deadLetters } from './dead-letters.ts';
import { type RunningDynamoDb, startDynamoDb } from './dynamodb.ts';
import { type HttpServer, type Site, startHttpServer } from './http-server.ts';
import { listNotRun } from './identities.ts';
import { answerLocal } from './local-routes.ts';
import { type RunningQueues, startQueues } from './queues.ts';
import { abandonRunning, runFunctions } from './running-functions.ts';
import { runEventSources } from './running-sources.ts';
import { runSchedules } from './schedules.ts';
import { type Seed, seedTables, type TableNames } from './seeded-tables.ts';
import { localClient } from './tables.ts';
import { type Assembly, readAssembly } from './template.ts';

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
  /**
   * After how many milliseconds a message whose batch failed or crashed is delivered again: a queue hides it for
   * minutes, in case the function still runs. `false` leaves that to the queue, as in AWS.
   * @default 1000
   */
  readonly redeliverAfter?: number | false;
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
  /** The queues, past the proxy; undefined where the stack has none. */
  readonly queues: Pick<RunningQueues, 'client' | 'endpoint' | 'state'> | undefined;
  stop(): Promise<void>;
}

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
    const giveBack = options.dataDir === undefined ? () => {} : lockData(options.dataDir);
    cleanup.add(async () => giveBack());
    return await start(options, cleanup);
  } catch (error) {
    await cleanup.run().catch(() => {});
    throw error;
  }
}

async function start(options: LocalCloudOptions, cleanup: Cleanup): Promise<LocalCloud> {
  const { environment = {}, log = () => {}, dataDir } = options;
  const assembly = readAssembly(options.assembly);
  const servers = await startServers(assembly, options.port ?? 4000, cleanup);
  // Before the functions, since its address is in every one's environment.
  const proxy = await cleanup.started(startAwsProxy(), (running) => running.close());
  const apiUrls = new Map([...servers].map(([logicalId, { url }]) => [logicalId, url]));
  const blueprint = readBlueprint(assembly, { apiUrls, proxyUrl: proxy.url }, dataDir !== undefined);

  const { dynamodb, client, seeded, queues } = await startStores(blueprint, options, cleanup);
  const calls = new CallLog();
  const pools = runFunctions(blueprint, {
    ...{ proxy, calls, environment, log },
    dynamodbEndpoint: dynamodb.endpoint,
    queuesEndpoint: queues?.endpoint,
  });
  cleanup.add(async () => void (await Promise.all([...pools.values()].map((pool) => pool.close()))));
  const faults = new BackgroundFaults();
  const invoke = background(pools, faults, blueprint.place.stackName);
  const schedules = runSchedules(blueprint.schedules, async (...what) => (await invoke(...what)).outcome);
  cleanup.add(async () => schedules.stop());
  const redeliverAfter = options.redeliverAfter === false ? undefined : (options.redeliverAfter ?? 1_000);
  const sources = await runEventSources(blueprint, {
    ...{ client, queues, invoke, redeliverAfter, log },
    dynamodbEndpoint: dynamodb.endpoint,
  });
  cleanup.add(async () => sources.stop());

  const reset = async (): Promise<void> => {
    faults.clear();
    await sources.paused(async () => {
      // What is still running would write into the new world, or charge in it.
      await abandonRunning(pools);
      queues?.reset();
      await seeded.reset();
    });
    calls.clear();
  };
  const queueState = () => ({
    queues: queues?.state() ?? [],
    deadLetters: queues === undefined ? [] : deadLetters(blueprint.queues, queues),
  });
  const { tableNames, providerUrl } = blueprint;
  const local = { client, calls, tableNames, schedules, faults, providerUrl, queueState, reset };
  openServers(servers, blueprint, {
    poolOf: (functionArn) => poolOf(pools, functionArn),
    answerLocal: (asked) => answerLocal(local, asked),
    answered: (invocation, operation) => calls.answered(invocation, operation),
  });
  const [main] = servers.values();
  return {
    url: main?.url ?? '',
    dynamodbEndpoint: dynamodb.endpoint,
    tableNames,
    notRun: listNotRun(assembly.template),
    ...{ proxy, queues },
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
  // A stack of queues and jobs has no API, and is looked at and run through the local cloud's own paths all the same.
  if (servers.size === 0) {
    servers.set('', await cleanup.started(startHttpServer(port), (http) => http.close()));
  }
  return servers;
}

function openServers(
  servers: ReadonlyMap<string, HttpServer>,
  { apis, place }: Blueprint,
  behind: Omit<Site, 'place' | 'routes'>,
): void {
  for (const [logicalId, server] of servers) {
    const routes = apis.find((api) => api.logicalId === logicalId)?.routes ?? [];
    server.open({ place, routes, ...behind });
  }
}

/** What keeps data: tables and queues. */
async function startStores(blueprint: Blueprint, options: LocalCloudOptions, cleanup: Cleanup) {
  const { tables, tableNames, queues: definitions } = blueprint;
  const { dataDir, seed = [] } = options;
  const startingQueues = startQueues(definitions, { region: REGION, dataDir });
  const startingDynamoDb = joinDynamoDb(options);
  // Side by side, since both take seconds; neither is left behind when the other fails.
  await Promise.allSettled([startingQueues, startingDynamoDb]);
  const queues = await cleanup.started(startingQueues, async (running) => running?.stop());
  const dynamodb = await cleanup.started(startingDynamoDb, (database) => database.stop());
  const client = localClient(dynamodb.endpoint);
  const seeded = await cleanup.started(seedTables(client, tables, tableNames, seed), async (made) => {
    if (dataDir === undefined) await made.delete();
    client.destroy();
  });
  return { dynamodb, client, seeded, queues };
}

const joinDynamoDb = async ({ dynamodbEndpoint, dataDir }: LocalCloudOptions): Promise<RunningDynamoDb> =>
  dynamodbEndpoint === undefined
    ? startDynamoDb(dataDir === undefined ? {} : { dataDir })
    : { endpoint: dynamodbEndpoint, stop: async () => {} };
