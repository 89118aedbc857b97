/**
 * What runs inside a worker thread: one function's handler, one event at a time, like Lambda's runtime in an execution
 * environment. Everything it needs comes in `workerData`, everything it says goes through the parent port.
 */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { InvocationError } from './invocation.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  /** The file that exports the handler, and the export's name. */
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
}

/** An event for the handler, as JSON. */
export interface WorkerRequest {
  readonly event: string;
  readonly invocationId: string;
  /** When the invocation is cut off, in milliseconds since 1970. */
  readonly deadline: number;
}

export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'returned'; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: InvocationError };

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread.');
const settings = workerData as WorkerSettings;
const say = (answer: WorkerAnswer): void => port.postMessage(answer);

const describeError = (error: unknown): InvocationError =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };

async function load(): Promise<Handler> {
  const module = (await import(pathToFileURL(settings.file).href)) as Record<string, unknown>;
  const handler = module[settings.exportName];
  if (typeof handler !== 'function') throw new Error(`${settings.file} exports no function ${settings.exportName}`);
  return handler as Handler;
}

const contextOf = ({ invocationId, deadline }: WorkerRequest): object => ({
  awsRequestId: invocationId,
  callbackWaitsForEmptyEventLoop: true,
  functionName: settings.functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: settings.functionArn,
  logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  memoryLimitInMB: String(settings.memoryMegabytes),
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

async function run(handler: Handler, request: WorkerRequest): Promise<WorkerAnswer> {
  const trace = request.invocationId.replaceAll('-', '').slice(0, 24);
  process.env._X_AMZN_TRACE_ID = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${trace};Sampled=0`;
  try {
    const result: unknown = await handler(JSON.parse(request.event), contextOf(request));
    return { kind: 'returned', payload: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    return { kind: 'failed', error: describeError(error) };
  }
}

try {
  const handler = await load();
  port.on('message', (request: WorkerRequest) => void run(handler, request).then(say));
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'failed', error: describeError(error) });
}
