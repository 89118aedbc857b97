import { randomUUID } from 'node:crypto';
import { ExecutionEnvironment, type Host } from './execution-environment.ts';
import type { Fault } from './faults.ts';
import type { FunctionDefinition } from './functions.ts';
import type { Invocation, Outcome } from './invocation.ts';

/** An event that waits for an environment or runs in one. */
interface Job {
  readonly event: string;
  readonly invocation: Invocation;
  readonly settle: (outcome: Outcome) => void;
}

/** Each costs about 25 MB; more than a laptop has cores only helps handlers that wait. */
const MOST_ENVIRONMENTS = 10;
/** Loading a bundle is all CPU: ten at once on two cores would all come late, while a warm one serves the queue. */
const MOST_STARTING = 2;
const IDLE_LIMIT = 5 * 60_000;

const isRunning = ({ invocation }: ExecutionEnvironment): boolean => invocation !== undefined;

/**
 * Runs one function's events in worker threads: started when they are first needed, one event at a time in each,
 * reused while warm, ended after five idle minutes. Events beyond what the environments can take wait their turn.
 */
export class WorkerPool {
  readonly #definition: FunctionDefinition;
  readonly #host: Host;
  readonly #register: (environment: ExecutionEnvironment) => void;
  readonly #live = new Set<ExecutionEnvironment>();
  readonly #idle: { environment: ExecutionEnvironment; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Job[] = [];
  readonly #most: number;
  readonly #idleLimit: number;
  #starting = 0;
  #closed = false;

  /** `register` hears of each environment before it can call AWS; one that was idle for `idleLimit` milliseconds is ended. */
  constructor(
    definition: FunctionDefinition,
    host: Host,
    register: (environment: ExecutionEnvironment) => void,
    idleLimit = IDLE_LIMIT,
  ) {
    this.#idleLimit = idleLimit;
    this.#definition = definition;
    this.#host = host;
    this.#register = register;
    this.#most = Math.min(definition.reservedConcurrency ?? MOST_ENVIRONMENTS, MOST_ENVIRONMENTS);
  }

  /** Runs one event; the invocation tells what happened while it ran. */
  invoke(
    event: string,
    cause: { request?: string; faults?: readonly Fault[] } = {},
  ): { invocation: Invocation; outcome: Promise<Outcome> } {
    const { request = null, faults = [] } = cause;
    const invocation: Invocation = { id: randomUUID(), request, faults, awsCalls: 0 };
    const outcome = new Promise<Outcome>((settle) => {
      this.#waiting.push({ event, invocation, settle });
      this.#dispatch();
    });
    return { invocation, outcome };
  }

  /** Ends all environments; events that still wait end as crashed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await this.#end(() => true);
  }

  /** Does something run, or wait to run? */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || [...this.#live].some(isRunning);
  }

  /** Ends what runs and what waits to run, as crashed; environments that are idle stay. */
  async abandon(): Promise<void> {
    await this.#end(isRunning);
  }

  async #end(which: (environment: ExecutionEnvironment) => boolean): Promise<void> {
    for (const job of this.#waiting.splice(0)) job.settle({ kind: 'crashed' });
    await Promise.all([...this.#live].filter(which).map((environment) => environment.end()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      // The most recently used one: the others may then grow old enough to be ended.
      const free = this.#idle.pop();
      if (free === undefined) break;
      clearTimeout(free.timer);
      if (free.environment.ended) {
        this.#live.delete(free.environment);
        continue;
      }
      const job = this.#waiting.shift();
      if (job !== undefined) void this.#run(free.environment, job);
    }
    const wanted = Math.min(this.#waiting.length, this.#most - this.#live.size);
    for (let more = Math.min(wanted, MOST_STARTING) - this.#starting; more > 0; more--) void this.#start();
  }

  async #start(): Promise<void> {
    const environment = new ExecutionEnvironment(this.#definition, this.#host);
    this.#live.add(environment);
    this.#register(environment);
    this.#starting++;
    const failure = await environment.started;
    this.#starting--;
    if (failure === undefined) return this.#release(environment);
    this.#live.delete(environment);
    await environment.end();
    if (failure.kind === 'failed') this.#host.log(`${this.#definition.name}: ${failure.error.trace.join('\n')}`);
    // Not tried again for the same event: code that does not load would be loaded for ever.
    this.#waiting.shift()?.settle(failure);
    this.#dispatch();
  }

  async #run(environment: ExecutionEnvironment, job: Job): Promise<void> {
    const outcome = await environment.invoke(job.event, job.invocation);
    this.#report(job.invocation, outcome);
    job.settle(outcome);
    if (outcome.kind === 'returned' || outcome.kind === 'failed') return this.#release(environment);
    this.#live.delete(environment);
    const ended = environment.end();
    // The client of a crashed request tries again at once: let it find a warm environment.
    if (!this.#closed && this.#idle.length === 0 && this.#starting === 0) void this.#start();
    this.#dispatch();
    await ended;
  }

  #release(environment: ExecutionEnvironment): void {
    if (this.#closed || environment.ended) {
      this.#live.delete(environment);
      void environment.end();
    } else {
      const timer = setTimeout(() => this.#retire(environment), this.#idleLimit).unref();
      this.#idle.push({ environment, timer });
    }
    this.#dispatch();
  }

  #retire(environment: ExecutionEnvironment): void {
    const index = this.#idle.findIndex((entry) => entry.environment === environment);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#live.delete(environment);
    void environment.end();
  }

  #report({ id }: Invocation, outcome: Outcome): void {
    const name = this.#definition.name;
    if (outcome.kind === 'timed-out')
      this.#host.log(`${name} ${id}: timed out after ${this.#definition.timeout / 1000} s`);
    if (outcome.kind === 'crashed' && !this.#closed) this.#host.log(`${name} ${id}: the worker ended while it ran`);
    if (outcome.kind === 'failed')
      this.#host.log(`${name} ${id}: ${outcome.error.trace.join('\n') || outcome.error.errorMessage}`);
  }
}
