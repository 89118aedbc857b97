import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './setup-error.ts';

interface DynamoDbOptions {
  /** The TCP port. @default a free one */
  readonly port?: number;
  /** The directory that keeps the data over restarts. @default everything in memory */
  readonly dataDir?: string;
}

export interface RunningDynamoDb {
  readonly endpoint: string;
  /** Ends it; data without a `dataDir` is gone. One that was only joined keeps running. */
  stop(): Promise<void>;
}

/** A cold JVM on a busy two-core machine has taken 15 s to its first answer. */
const START_TIMEOUT = 60_000;
const START_ATTEMPTS = 3;
const INSTALL_HINT =
  'Install Java 17 or newer (Debian, Ubuntu: sudo apt-get install -y openjdk-17-jre-headless; macOS: brew install openjdk), ' +
  'start Docker, or set DYNAMODB_ENDPOINT to a DynamoDB Local that already runs.';

/**
 * Starts DynamoDB Local, or joins the one that the environment variable DYNAMODB_ENDPOINT names.
 * What it starts ends with this process, however this process ends.
 * @throws SetupError when there is neither Java nor Docker, or when it does not come up
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<RunningDynamoDb> {
  const named = process.env.DYNAMODB_ENDPOINT;
  if (named) return joinRunning(named);
  if (options.dataDir !== undefined) mkdirSync(options.dataDir, { recursive: true });
  const command = chooseCommand();
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(options.port);
    const outcome = await launch(command(port, options.dataDir), port);
    if (typeof outcome !== 'string') return outcome;
    // Between finding a free port and Java binding it, somebody else may have taken it.
    if (options.port !== undefined || attempt === START_ATTEMPTS || !/address already in use/i.test(outcome)) {
      throw new SetupError(
        `DynamoDB Local did not start on port ${port}: ${outcome.trim() || 'no output'}\n${INSTALL_HINT}`,
      );
    }
  }
}

async function joinRunning(endpoint: string): Promise<RunningDynamoDb> {
  if (!(await answers(endpoint))) {
    throw new SetupError(`Nothing answers at DYNAMODB_ENDPOINT=${endpoint}. Start it, or unset the variable.`);
  }
  return { endpoint: endpoint.replace(/\/$/, ''), stop: async () => {} };
}

type Command = (
  port: number,
  dataDir: string | undefined,
) => { readonly cwd: string; readonly argv: readonly string[] };

function chooseCommand(): Command {
  if (onPath('java')) return javaCommand;
  if (onPath('docker') && spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0) return dockerCommand;
  throw new SetupError(`DynamoDB Local needs Java or a running Docker; neither was found. ${INSTALL_HINT}`);
}

const javaCommand: Command = (port, dataDir) => {
  const cwd = emulatorDirectory();
  const storage = dataDir === undefined ? ['-inMemory'] : ['-dbPath', resolve(dataDir)];
  // One compiler tier and the serial collector: half the start time, and this never runs for long.
  const jvm = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Djava.library.path=./DynamoDBLocal_lib'];
  const server = ['-jar', 'DynamoDBLocal.jar', '-port', String(port), ...storage, '-sharedDb', '-disableTelemetry'];
  return { cwd, argv: ['java', ...jvm, ...server] };
};

const dockerCommand: Command = (port, dataDir) => {
  const storage = dataDir === undefined ? ['-inMemory'] : ['-dbPath', '/data'];
  const volume = dataDir === undefined ? [] : ['--user', 'root', '-v', `${resolve(dataDir)}:/data`];
  const name = `semel-dynamodb-${randomBytes(4).toString('hex')}`;
  const server = ['-jar', 'DynamoDBLocal.jar', ...storage, '-sharedDb', '-disableTelemetry'];
  const run = [
    'docker',
    'run',
    '--rm',
    '--name',
    name,
    '-p',
    `127.0.0.1:${port}:8000`,
    ...volume,
    'amazon/dynamodb-local',
    ...server,
  ];
  return { cwd: '.', argv: run };
};

function emulatorDirectory(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('amplify-dynamodb-simulator/package.json');
    return join(dirname(manifest), 'emulator');
  } catch (cause) {
    throw new SetupError('DynamoDB Local is not installed: run npm ci.', { cause });
  }
}

/**
 * The shell's background reader holds a pipe from us: when the pipe closes, because we ask for it or because this process
 * died without a chance to clean up, it ends the server. A process group of its own keeps a terminal's Ctrl-C away from
 * the server, so that functions still finish their writes while the local cloud stops.
 */
const ENDS_WITH_ITS_PARENT = '( read -r _ <&3; kill $$ ) >/dev/null 2>&1 & exec "$@" 3<&-';

/** Resolves to the running server, or to what it printed when it ended instead of starting. */
async function launch(command: ReturnType<Command>, port: number): Promise<RunningDynamoDb | string> {
  const child = spawn('sh', ['-c', ENDS_WITH_ITS_PARENT, 'sh', ...command.argv], {
    cwd: command.cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-2000);
    });
  }
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT;
  // Both, since a server that could not bind the port ends while somebody else's answers there.
  while (!(printed.includes('Initializing') && (await answers(endpoint)))) {
    if (child.exitCode !== null || child.signalCode !== null) return printed;
    if (Date.now() > deadline) {
      await end(child, ended);
      return `no answer within ${START_TIMEOUT / 1000} s. ${printed}`;
    }
    await Promise.race([sleep(50), ended]);
  }
  unreference(child);
  return { endpoint, stop: () => end(child, ended) };
}

/** A forgotten server must not keep a finished process alive. */
function unreference(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as { unref?(): void } | null | undefined)?.unref?.();
}

function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref();
  child.stdio[3]?.destroy();
  return ended;
}

/** DynamoDB answers an unsigned GET with 400: any answer shows that it listens. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    await (await fetch(endpoint, { signal: AbortSignal.timeout(2000) })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Asks the system for a free port, or makes sure that the given one is free. */
function freePort(wanted = 0): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', (cause) =>
      fail(new SetupError(`Port ${wanted} for DynamoDB Local is taken. Choose another one.`, { cause })),
    );
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : wanted));
    });
  });
}
