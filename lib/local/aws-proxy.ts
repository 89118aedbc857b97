import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AwsError, accessDenied, conflict, throttled, unknownClient, unknownOperation } from './aws-error.ts';
import { type DynamoDbRequest, readDynamoDbRequest } from './dynamodb-request.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';
import { type CallFault, delayOf, faultAt } from './faults.ts';
import { type Forwarded, forward } from './forward.ts';
import { isAllowed, type Statement } from './iam.ts';
import type { Invocation } from './invocation.ts';
import { readBody } from './read-body.ts';
import { readSqsRequest, type SqsRequest } from './sqs-request.ts';

/** A request to one of the services that are run here. */
type AwsRequest = DynamoDbRequest | SqsRequest;

/** One request of a function, from its arrival to what became of it. */
export interface ProxiedCall {
  readonly at: number;
  readonly environment: ExecutionEnvironment;
  readonly invocation: Invocation | undefined;
  /** Its number within the invocation, from 1; 0 between invocations. */
  readonly number: number;
  readonly target: string;
  readonly request: AwsRequest | undefined;
  readonly fault: CallFault | 'outage' | undefined;
}

/** What the function got: an answer, or nothing because its connection was cut. */
export type Reaction = ({ readonly kind: 'answer'; readonly error?: string } & Forwarded) | { readonly kind: 'cut' };

interface ProxySettings {
  readonly dynamodbEndpoint: string;
  /** Undefined for a stack without queues. */
  readonly queuesEndpoint: string | undefined;
  /** The environment that uses an access key. */
  readonly environmentOf: (accessKey: string) => ExecutionEnvironment | undefined;
  readonly policiesOf: (roleArn: string) => readonly Statement[];
  readonly tableArn: (table: string) => string;
  readonly queueArn: (queue: string) => string;
  /** Hears of every call once it is over. */
  readonly record: (call: ProxiedCall, reaction: Reaction) => void;
}

/** Stands between the functions and the emulators, so that the real SDK meets permissions and failures as in AWS. */
export interface AwsProxy {
  readonly url: string;
  /** Passes requests on from now on; its address is needed before all that it leads to is known. */
  open(settings: ProxySettings): void;
  /** While on, every connection is cut, as if the service could not be reached. */
  outage(on: boolean): void;
  close(): Promise<void>;
}

/** Starts the proxy on a free port of this machine. */
export async function startAwsProxy(): Promise<AwsProxy> {
  let isOut = false;
  let settings: ProxySettings | undefined;
  const server = createServer((request, response) => {
    if (settings === undefined) response.destroy();
    else respond(request, response, settings, isOut).catch(() => response.destroy());
  });
  // A connection that the proxy closed while idle would look like a failure of AWS to the SDK.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (opened) => {
      settings = opened;
    },
    outage: (on) => {
      isOut = on;
      if (on) server.closeAllConnections();
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  settings: ProxySettings,
  isOut: boolean,
): Promise<void> {
  const body = (await readBody(message)) ?? Buffer.alloc(0);
  const environment = settings.environmentOf(accessKeyOf(message));
  if (environment === undefined) return send(response, answerError(unknownClient()));
  const call = describe(message, body, environment, settings, isOut);
  const delay = delayOf(call.invocation?.faults ?? []);
  if (delay > 0) await sleep(delay);
  const reaction = await react(call, settings, async () =>
    keepHere(call, await forward(endpointOf(call, settings), message.headers, body), message.headers.host),
  );
  settings.record(call, reaction);
  if (reaction.kind === 'answer') send(response, reaction);
  else response.destroy();
}

const accessKeyOf = (message: IncomingMessage): string =>
  /Credential=([^/]+)\//.exec(message.headers.authorization ?? '')?.[1] ?? '';

function describe(
  message: IncomingMessage,
  body: Buffer,
  environment: ExecutionEnvironment,
  settings: ProxySettings,
  isOut: boolean,
): ProxiedCall {
  const { invocation } = environment;
  const number = invocation === undefined ? 0 : ++invocation.awsCalls;
  const target = String(message.headers['x-amz-target'] ?? '');
  return {
    at: Date.now(),
    environment,
    invocation,
    number,
    target,
    request: readRequest(target, body, settings),
    fault: isOut ? 'outage' : faultAt(invocation?.faults ?? [], number),
  };
}

function readRequest(target: string, body: Buffer, settings: ProxySettings): AwsRequest | undefined {
  const [, service, action] = /^(DynamoDB_20120810|AmazonSQS)\.(\w+)$/.exec(target) ?? [];
  if (action === undefined) return undefined;
  const members = JSON.parse(body.toString());
  return service === 'AmazonSQS'
    ? readSqsRequest(action, members, settings.queueArn)
    : readDynamoDbRequest(action, members, settings.tableArn);
}

function endpointOf({ request }: ProxiedCall, { dynamodbEndpoint, queuesEndpoint }: ProxySettings): string {
  if (request?.service !== 'sqs') return dynamodbEndpoint;
  if (queuesEndpoint === undefined) throw new Error('The stack has no queues.');
  return queuesEndpoint;
}

/** What comes first decides: the injected failure, then permissions, then the service itself. */
async function react(call: ProxiedCall, settings: ProxySettings, send: () => Promise<Forwarded>): Promise<Reaction> {
  const { fault, request } = call;
  if (fault === 'outage') return CUT;
  if (fault === 'crash-before') {
    await call.environment.end();
    return CUT;
  }
  const refused = injectedError(call) ?? refusal(call, settings);
  if (refused !== undefined || request === undefined) return answerError(refused ?? unknownOperation(call.target));
  const answer = await send().catch(() => undefined);
  if (fault === 'crash-after') await call.environment.end();
  if (answer === undefined || fault === 'crash-after' || fault === 'lose-response') return CUT;
  return { kind: 'answer', ...answer, ...(answer.status > 299 && { error: exceptionName(answer.body) }) };
}

const CUT: Reaction = { kind: 'cut' };

/** The emulator gives queues URLs of its own; what is sent to such a one would pass the proxy by. */
function keepHere({ request }: ProxiedCall, answer: Forwarded, host: string | undefined): Forwarded {
  if (request?.service !== 'sqs' || request.action !== 'GetQueueUrl') return answer;
  const body = answer.body.toString().replace(/"QueueUrl":"http:\/\/[^/]+/, `"QueueUrl":"http://${host}`);
  return { ...answer, body: Buffer.from(body) };
}

/** Reads meet throttling but no conflict: only writes hold items. */
function injectedError({ fault, request }: ProxiedCall): AwsError | undefined {
  if (fault === 'throttle') return throttled();
  if (fault !== 'conflict' || request?.service !== 'dynamodb') return undefined;
  if (request.transactional) return conflict(request.items);
  return request.writes.length > 0 ? conflict(undefined) : undefined;
}

function refusal({ request, environment }: ProxiedCall, settings: ProxySettings): AwsError | undefined {
  const { roleArn, name } = environment.definition;
  const statements = settings.policiesOf(roleArn);
  const denied = request?.permissions.find(({ action, resource }) => !isAllowed(statements, action, resource));
  if (denied === undefined) return undefined;
  // The function acts as a session of its role, named for the function.
  const principal = `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${name}`;
  return accessDenied(principal, denied.action, denied.resource);
}

const answerError = (error: AwsError): Extract<Reaction, { kind: 'answer' }> => ({
  kind: 'answer',
  status: error.status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(error.body),
  error: error.name,
});

function exceptionName(body: Buffer): string {
  const type = /"__type"\s*:\s*"([^"]+)"/.exec(body.toString())?.[1] ?? 'UnknownError';
  return type.slice(type.indexOf('#') + 1);
}

function send(response: ServerResponse, { status, headers, body }: Forwarded): void {
  const { connection: _, 'transfer-encoding': __, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length }).end(body);
}
