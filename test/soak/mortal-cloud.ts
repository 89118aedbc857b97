import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CloudReady } from './cloud.ts';

interface Place {
  readonly assembly: string;
  readonly port: number;
  readonly dataDir: string;
}

/** A killed cloud's DynamoDB Local lets go of the data a moment later than the cloud of its port. */
const START_ATTEMPTS = 5;
const BETWEEN_STARTS = 1_000;

/** A local cloud that is killed without warning and comes back over the same data. */
export class MortalCloud {
  readonly #place: Place;
  #child: ChildProcess | undefined;
  #ready: CloudReady | undefined;
  kills = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#place.port}`;
  }

  /** Of the cloud that runs. @throws Error when none does */
  get ready(): CloudReady {
    if (this.#ready === undefined) throw new Error('The cloud does not run.');
    return this.#ready;
  }

  /** @throws Error with what it printed, when it does not come up */
  async start(): Promise<void> {
    for (let attempt = 1; this.#ready === undefined; attempt++) {
      const failure = await this.#tryToStart();
      if (failure !== undefined && attempt === START_ATTEMPTS) throw new Error(failure);
      if (failure !== undefined) await pause(BETWEEN_STARTS);
    }
  }

  /** SIGKILL: nothing is finished, nothing is cleaned up. */
  async kill(): Promise<void> {
    this.kills++;
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  #tryToStart(): Promise<string | undefined> {
    const { assembly, port, dataDir } = this.#place;
    const child = fork(join(import.meta.dirname, 'cloud.ts'), [assembly, String(port), dataDir], { stdio: 'pipe' });
    this.#child = child;
    let printed = '';
    for (const output of [child.stdout, child.stderr]) output?.on('data', (text) => (printed += text));
    return new Promise((resolve) => {
      child.once('message', (ready: CloudReady) => {
        this.#ready = ready;
        resolve(undefined);
      });
      child.once('exit', (code) => resolve(`The cloud ended with ${code}: ${printed.slice(-2_000)}`));
    });
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#ready = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}
