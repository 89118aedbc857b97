import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsProxy } from './aws-proxy.ts';
import { type Blueprint, REGION } from './blueprint.ts';
import type { CallLog } from './call-log.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';
import { recordCall } from './record-call.ts';
import { WorkerPool } from './worker-pool.ts';

interface Surroundings {
  readonly proxy: AwsProxy;
  readonly dynamodbEndpoint: string;
  readonly queuesEndpoint: string | undefined;
  readonly calls: CallLog;
  /** Variables for every function, over the template's. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** What a worker sent just before it ended is still on its way to the proxy, and still applies. Milliseconds. */
const FORGET_AFTER = 10_000;

/** Most of what runs ends in a moment, and whoever waits for it need not hear of a crash. Milliseconds. */
const GRACE = 300;
const LOOK = 20;

/** Ends all that is running after a moment, and at once: what is left of one function could still call another. */
export async function abandonRunning(pools: ReadonlyMap<string, WorkerPool>): Promise<void> {
  const all = [...pools.values()];
  const end = Date.now() + GRACE;
  while (Date.now() < end && all.some(({ isBusy }) => isBusy)) await sleep(LOOK);
  await Promise.all(all.map((pool) => pool.abandon()));
}

/** Makes the functions ready to be invoked, by ARN, and opens the proxy to what they send to AWS. */
export function runFunctions(
  { functions, policies, place }: Blueprint,
  { proxy, dynamodbEndpoint, queuesEndpoint, calls, environment, log }: Surroundings,
): ReadonlyMap<string, WorkerPool> {
  const environments = new Map<string, ExecutionEnvironment>();
  const arn = (service: string, rest: string) => `arn:aws:${service}:${place.region}:${place.account}:${rest}`;
  proxy.open({
    dynamodbEndpoint,
    queuesEndpoint,
    environmentOf: (accessKey) => environments.get(accessKey),
    policiesOf: (roleArn) => policies.get(roleArn) ?? [],
    tableArn: (table) => arn('dynamodb', `table/${table}`),
    queueArn: (queue) => arn('sqs', queue),
    record: (...call) => calls.add(recordCall(...call)),
  });
  const host = { region: REGION, proxyUrl: proxy.url, environment, log };
  const register = (started: ExecutionEnvironment) => {
    environments.set(started.accessKey, started);
    void started.exited.then(() => setTimeout(() => environments.delete(started.accessKey), FORGET_AFTER).unref());
  };
  return new Map(functions.map((definition) => [definition.arn, new WorkerPool(definition, host, register)]));
}
