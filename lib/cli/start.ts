import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { refuseUsedData } from '../local/data-lock.ts';
import { ownMark } from '../local/process-mark.ts';
import type { LocalCloudOptions } from '../local/start.ts';
import { type Command, type Input, type Terminal, textOption } from './command.ts';
import { localSeed } from './local-seed.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { announceCloud } from './running-cloud.ts';
import { synthesize } from './synthesize.ts';
import { CommandError, UsageError } from './usage-error.ts';
import { localWebhookSecrets, webhookEnvironment } from './webhook-secrets.ts';
import { welcome } from './welcome.ts';

const DEFAULT_PORT = '4000';

/** `semel start`: runs the stack on this machine until Ctrl-C. */
export const start: Command = {
  name: 'start',
  summary: 'Run the wallet on this machine.',
  description: `Synthesizes the CDK stack and runs that template here: functions, HTTP routes, permissions and tables (on DynamoDB
Local, which needs Java 17 or Docker). Nothing is sent to AWS. Two callers with funded accounts are ready to try.
Ctrl-C stops it and everything it started.`,
  positionals: [],
  options: {
    port: {
      type: 'string',
      value: '<port>',
      help: `Where to listen; 0 takes a free one. Default: PORT, else ${DEFAULT_PORT}.`,
    },
    'data-dir': { type: 'string', value: '<folder>', help: 'Keep the data there over restarts. Default: in memory.' },
  },
  examples: ['semel start', 'semel start --port 4001 --data-dir ./data'],
  async run(input, terminal) {
    const interruption = watchForInterruption(terminal);
    try {
      await runUntil(interruption.signal, input, terminal);
    } catch (error) {
      if (error !== interruption.signal.reason) throw error;
    } finally {
      interruption.stopWatching();
    }
  },
};

async function runUntil(interrupted: AbortSignal, input: Input, terminal: Terminal): Promise<void> {
  const port = portOf(input);
  const dataDir = dataDirOf(input);
  await refuseTakenPort(port);
  if (dataDir !== undefined) refuseUsedData(dataDir);
  // Two clouds at once have two ports, and so two assemblies.
  const assembly = join(PROJECT_ROOT, '.semel', `assembly-${port === 0 ? process.pid : port}`);
  try {
    terminal.explain('Synthesizing the stack …');
    await synthesize(assembly, interrupted);
    terminal.explain('Starting the local cloud …');
    await serveUntil(interrupted, { assembly, port, ...(dataDir === undefined ? {} : { dataDir }) }, terminal);
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
}

async function serveUntil(
  interrupted: AbortSignal,
  options: Pick<LocalCloudOptions, 'assembly' | 'port' | 'dataDir'>,
  terminal: Terminal,
): Promise<void> {
  // Loaded only now: the other commands answer sooner without it.
  const { startLocalCloud } = await import('../local/start.ts');
  const webhookSecrets = localWebhookSecrets();
  const environment = webhookEnvironment(webhookSecrets);
  const cloud = await startLocalCloud({ ...options, environment, seed: localSeed(), log: terminal.explain });
  const { url, dynamodbEndpoint, queues, tableNames, notRun } = cloud;
  const { data: dataTable, idempotency: idempotencyTable } = tableNames;
  const stores = { dynamodbEndpoint, queuesEndpoint: queues?.endpoint, dataTable, idempotencyTable };
  const withdraw = announceCloud(PROJECT_ROOT, {
    ...ownMark(),
    ...{ startedAt: Date.now(), url, ...stores, webhookSecrets },
  });
  terminal.print(welcome({ url, dataDir: options.dataDir, notRun, webhookSecrets }));
  await aborted(interrupted);
  withdraw();
  await cloud.stop();
}

function portOf(input: Input): number {
  const text = textOption(input, 'port') ?? (process.env.PORT || DEFAULT_PORT);
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  const source = textOption(input, 'port') === undefined ? 'PORT' : '--port';
  throw new UsageError(`${source} is "${text}", which is not a port: 0 to 65535 are.`);
}

function dataDirOf(input: Input): string | undefined {
  const folder = textOption(input, 'data-dir');
  return folder === undefined ? undefined : resolve(folder);
}

/** Asked before anything is built, since the answer takes no time and the building does. */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((free, refuse) => {
    server.once('error', (error: NodeJS.ErrnoException) => refuse(new CommandError(portProblem(port, error.code))));
    server.listen({ port, exclusive: true }, free);
  });
  await new Promise((closed) => server.close(closed));
}

function portProblem(port: number, code: string | undefined): string {
  if (code === 'EACCES') return `Port ${port} needs privileges. Choose one above 1023 with --port.`;
  return `Port ${port} is taken. Stop what listens there, or choose another with --port (0 takes a free one).`;
}

/** The first Ctrl-C stops in order; a second one does not wait for that. */
function watchForInterruption(terminal: Terminal) {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    terminal.explain('\nStopping …');
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const stopWatching = (): void => {
    for (const signal of signals) process.off(signal, interrupt);
  };
  return { signal: controller.signal, stopWatching };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
