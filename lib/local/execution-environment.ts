import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './functions.ts';
import type { Invocation, Outcome } from './invocation.ts';
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from './worker.ts';

/** What every environment gets besides its function's own variables, and where its output goes. */
export interface Host {
  readonly region: string;
  /** Where requests to AWS go. */
  readonly proxyUrl: string;
  /** Variables for every function, over the template's. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** One worker thread with one function loaded: it handles one event at a time and stays warm between them. */
export class ExecutionEnvironment {
  /** Its fake AWS access key, by which the proxy tells who calls. DynamoDB Local takes letters and digits only. */
  readonly accessKey = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`;
  readonly definition: FunctionDefinition;
  /** Settles once the handler is loaded; to an outcome when it cannot be. */
  readonly started: Promise<Outcome | undefined>;
  /** Settles once the worker is gone, for whatever reason. */
  readonly exited: Promise<void>;
  readonly #worker: Worker;
  #invocation: Invocation | undefined;
  #settle: (outcome: Outcome) => void = () => {};
  #ended = false;

  constructor(definition: FunctionDefinition, host: Host) {
    this.definition = definition;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: settingsOf(definition),
      env: variablesOf(definition, host, this.accessKey),
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMegabytes },
      stdout: true,
      stderr: true,
    });
    for (const output of [this.#worker.stdout, this.#worker.stderr]) passLines(output, host.log);
    this.started = this.#firstOutcome().then((outcome) => (outcome.kind === 'returned' ? undefined : outcome));
    this.#worker.on('message', (answer: WorkerAnswer) =>
      this.#settle(answer.kind === 'ready' ? { kind: 'returned', payload: '' } : answer),
    );
    this.#worker.on('error', (error) => host.log(`${definition.name}: ${error.stack ?? error}`));
    this.exited = new Promise((gone) => {
      this.#worker.once('exit', () => {
        this.#ended = true;
        this.#settle({ kind: 'crashed' });
        gone();
      });
    });
  }

  /** What it runs at this moment. */
  get invocation(): Invocation | undefined {
    return this.#invocation;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs the handler once. Past the function's timeout it still runs: end it then, as Lambda does. */
  async invoke(event: string, invocation: Invocation): Promise<Outcome> {
    const { timeout } = this.definition;
    this.#invocation = invocation;
    const outcome = this.#firstOutcome();
    const timer = setTimeout(() => this.#settle({ kind: 'timed-out' }), timeout);
    const request: WorkerRequest = { event, invocationId: invocation.id, deadline: Date.now() + timeout };
    this.#worker.postMessage(request);
    try {
      return await outcome;
    } finally {
      clearTimeout(timer);
      this.#invocation = undefined;
    }
  }

  /** Ends the worker wherever it is; what it sent to AWS before still applies. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #firstOutcome(): Promise<Outcome> {
    return new Promise((settle) => {
      this.#settle = settle;
    });
  }
}

const settingsOf = (definition: FunctionDefinition): WorkerSettings => ({
  file: definition.file,
  exportName: definition.exportName,
  functionName: definition.name,
  functionArn: definition.arn,
  memoryMegabytes: definition.memoryMegabytes,
});

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
const variablesOf = (definition: FunctionDefinition, host: Host, accessKey: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
  AWS_REGION: host.region,
  AWS_DEFAULT_REGION: host.region,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: definition.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMegabytes),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: `local/[$LATEST]${accessKey}`,
  ...definition.environment,
  ...host.environment,
  AWS_ACCESS_KEY_ID: accessKey,
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL: host.proxyUrl,
  AWS_ENDPOINT_URL_DYNAMODB: host.proxyUrl,
  AWS_ENDPOINT_URL_SQS: host.proxyUrl,
});

function passLines(output: Readable, log: (line: string) => void): void {
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log(line);
  });
  output.on('end', () => {
    if (rest !== '') log(rest);
  });
}
