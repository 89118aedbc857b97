// Starts the local cloud as the README says, walks through the README's requests, stops it as Ctrl-C does,
// and makes sure that nothing is left running.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT = 120_000;
const STOP_TIMEOUT = 20_000;
/** In the environment of everything that the start starts, so that what is left can be told apart. */
const MARK = `SEMEL_SMOKE=${process.pid}-${Date.now()}`;

interface Step {
  readonly title: string;
  readonly command: string;
  readonly status: number;
}

const port = await freePort();
const [name = '', value] = MARK.split('=');
const cloud = spawn('npm', ['start'], {
  env: { ...process.env, PORT: String(port), [name]: value },
  // A process group of its own, as a terminal gives it: Ctrl-C goes to every process in it.
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
});
const said = listen(cloud);
try {
  await answering(`http://localhost:${port}/health`);
  walk(readSteps());
} catch (error) {
  console.error(`What npm start said:\n${said()}`);
  throw error;
} finally {
  await pressCtrlC(cloud);
}
assert.deepEqual(leftovers(), [], 'processes are left after Ctrl-C');
console.log('The local cloud starts, answers as the README says, and leaves nothing behind.');

/** The commands of the README's walk: each has a comment before it that ends with the status it is answered with. */
function readSteps(): Step[] {
  const [, walk = ''] = readFileSync('README.md', 'utf8').split('<!-- walk -->');
  const steps = walk.matchAll(/^# (.+) → (\d{3})\n((?:.*\\\n)*.+)$/gm);
  return Array.from(steps, ([, title = '', status, command = '']) => ({ title, command, status: Number(status) }));
}

function walk(steps: readonly Step[]): void {
  assert.ok(steps.length >= 6, 'the README has its walk');
  let before = { status: 0, head: '', body: '' };
  for (const { title, command, status } of steps) {
    const answer = run(command);
    console.log(`${answer.status} ${title}`);
    assert.equal(answer.status, status, `${title}\n${answer.head}\n${answer.body}`);
    if (/same again/i.test(title)) {
      assert.match(answer.head, /^idempotent-replayed: true\r?$/im);
      assert.equal(answer.body, before.body, 'the replay has the first body');
    }
    if (/entries/i.test(title)) assert.equal(answer.body.match(/"amount":-500\b/g)?.length, 1, answer.body);
    before = answer;
  }
}

function run(command: string): { status: number; head: string; body: string } {
  const text = execFileSync('bash', ['-c', command.replaceAll('localhost:4000', `localhost:${port}`)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}

function listen(child: ChildProcess): () => string {
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    assert.equal(cloud.exitCode, null, 'npm start ended by itself');
    assert.ok(Date.now() < deadline, `nothing answers at ${url}`);
    await sleep(200);
  }
}

async function pressCtrlC(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGINT');
  const inTime = await Promise.race([ended.then(() => true), sleep(STOP_TIMEOUT, false, { ref: false })]);
  if (inTime) return;
  process.kill(-child.pid, 'SIGKILL');
  assert.fail(`Ctrl-C did not end npm start within ${STOP_TIMEOUT / 1000} s`);
}

/** Command lines of processes that carry the mark; only Linux shows environments. */
function leftovers(): string[] {
  return globSync('/proc/[0-9]*/environ').flatMap((file) => {
    try {
      if (!readFileSync(file, 'utf8').includes(MARK)) return [];
      return [readFileSync(file.replace('environ', 'cmdline'), 'utf8').replaceAll('\0', ' ')];
    } catch {
      return []; // ended meanwhile, or another user's
    }
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
