import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import type { Surroundings } from '../../lib/engine/surroundings.ts';
import { readRequest } from '../../lib/http/request.ts';
import type { HttpResponse } from '../../lib/http/respond.ts';
import type { RouteHandler } from '../../lib/http/route-context.ts';
import { type Milliseconds, milliseconds } from '../../lib/protocol/time.ts';
import { seedItems } from '../../lib/wallet/seed.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { conflictOf, named } from './aws-errors.ts';
import { ModelDynamoDb, type Tables } from './model-dynamodb.ts';
import { ModelProvider, type ProviderCall } from './model-provider.ts';
import { modelTables } from './model-tables.ts';
import type { Fate, Scheduler } from './scheduler.ts';

const WRITE_FATES: readonly Fate[] = [
  'ok',
  'resent',
  'lost',
  'dropped',
  'crash-before',
  'crash-after',
  'throttle',
  'conflict',
  'hang',
];
const READ_FATES: readonly Fate[] = ['ok', 'dropped', 'crash-before', 'throttle'];
const PROVIDER_FATES: readonly Fate[] = ['ok', 'lost', 'dropped', 'crash-before', 'crash-after', 'hang'];

/** Longer than any lease here. */
const HANG = 60_000;
const FUNCTION_TIME = 10_000;
const CALL_TIME = 10;

/** Two accounts with money; `others` are tables of code that is not the project's. */
export function seededWorld(scheduler: Scheduler, others?: Tables): World {
  const world = new World(scheduler, others);
  for (const item of seedItems()) world.dynamodb.put('data', item);
  return world;
}

/** What a client sees when no answer comes: a crash, a timeout, a lost connection. */
export class NoAnswer extends Error {}

/** How an invocation is known to the scheduler, and how it ends early. */
interface Invocation {
  readonly process: number;
  readonly gone: Promise<never>;
  /** The client hears nothing; the code goes on (a zombie) or not (a crash: its calls are never answered). */
  readonly abandon: () => void;
  readonly skew: number;
}

/** Everything around the code under test, in memory and under a scheduler's hand. */
export class World {
  readonly dynamodb: ModelDynamoDb;
  readonly provider = new ModelProvider();
  readonly counted: string[] = [];
  /** Time passes by hand. One for each world, since calls that hang never let go of it. */
  readonly #never = new AbortController().signal;
  readonly scheduler: Scheduler;
  /** What was wrong at some moment, though it may have righted itself since. */
  readonly violations: string[] = [];
  #clock = 1_800_000_000_000;
  #processes = 0;
  #ids = 0;

  constructor(scheduler: Scheduler, others: Tables = {}) {
    this.dynamodb = new ModelDynamoDb({ ...modelTables('semel', 'data'), ...others });
    this.scheduler = scheduler;
  }

  get now(): Milliseconds {
    return milliseconds(this.#clock);
  }

  pass(duration: number): void {
    this.#clock += duration;
  }

  nextProcess(): number {
    return this.#processes++;
  }

  /** One HTTP request to one execution environment. @throws NoAnswer when the client hears nothing */
  async request(
    handler: (engine: Engine, call: ProviderCall) => RouteHandler,
    event: APIGatewayProxyEventV2,
    skew = 0,
  ): Promise<HttpResponse> {
    const invocation = this.#begin(skew);
    const engine = this.#engineOf(invocation);
    const route = handler(engine, (request) => this.#callProvider(invocation, request));
    return Promise.race([route(readRequest(event), lambdaContext(FUNCTION_TIME)), invocation.gone]);
  }

  /** One invocation of anything else, such as the reconciler. */
  async invoke<T>(run: (engine: Engine, call: ProviderCall, endsAt: Milliseconds) => Promise<T>): Promise<T> {
    const invocation = this.#begin(0);
    const engine = this.#engineOf(invocation);
    const call: ProviderCall = (request) => this.#callProvider(invocation, request);
    const endsAt = milliseconds(this.#clock + FUNCTION_TIME * 6);
    return Promise.race([run(engine, call, endsAt), invocation.gone]);
  }

  /** One request to code that is no engine, with the client that it talks to DynamoDB by. @throws NoAnswer */
  async visit<T>(run: (client: DynamoDBDocumentClient) => Promise<T>): Promise<T> {
    const invocation = this.#begin(0);
    return Promise.race([run(this.#clientOf(invocation)), invocation.gone]);
  }

  #begin(skew: number): Invocation {
    const process = this.nextProcess();
    let abandon = () => {};
    const gone = new Promise<never>((_, reject) => {
      abandon = () => reject(new NoAnswer(`process ${process} does not answer`));
    });
    gone.catch(() => {});
    return { process, gone, abandon, skew };
  }

  #engineOf(invocation: Invocation): Engine {
    return createEngine({
      store: { client: this.#clientOf(invocation), table: 'semel', dataTable: 'data' },
      surroundings: this.#surroundings(invocation),
      count: (counter) => this.counted.push(counter),
    });
  }

  #clientOf(invocation: Invocation): DynamoDBDocumentClient {
    const send = (command: { constructor: { name: string }; input: unknown }) => this.#send(invocation, command);
    return { send } as unknown as DynamoDBDocumentClient;
  }

  #surroundings({ skew }: Invocation): Surroundings {
    return {
      now: () => milliseconds(this.#clock + skew),
      random: () => 0.5,
      token: () => `owner-${this.#ids++}`,
      uuid: () => uuidBytes(this.#ids++),
      sleep: async (duration) => this.pass(duration),
      abortAfter: () => this.#never,
    };
  }

  async #send(invocation: Invocation, command: { constructor: { name: string }; input: unknown }): Promise<object> {
    const name = command.constructor.name.replace('Command', '');
    const isRead = name === 'Get' || name === 'TransactGet' || name === 'Query';
    const apply = () => this.#apply(command, isRead);
    const fate = await this.#turn(invocation, name, isRead ? READ_FATES : WRITE_FATES);
    switch (fate) {
      case 'throttle':
        throw named('ProvisionedThroughputExceededException');
      case 'conflict':
        throw conflictOf(name, command.input);
      case 'resent':
        attempt(apply);
        return apply();
      default:
        return this.#deliver(invocation, fate, apply);
    }
  }

  #apply(command: { constructor: { name: string }; input: unknown }, isRead: boolean): object {
    try {
      return this.dynamodb.apply(command);
    } catch (error) {
      if (!(error instanceof DynamoDBServiceException)) this.violations.push(`the model broke: ${String(error)}`);
      throw error;
    } finally {
      if (!isRead) this.#checkCommit();
    }
  }

  /** After every commit: no account is overdrawn, and every entry is on both its accounts. */
  #checkCommit(): void {
    const items = this.dynamodb.items('data');
    const held = items.reduce((sum, { balance }) => sum + (typeof balance === 'number' ? balance : 0), 0);
    const came = items.reduce((sum, item) => sum + broughtIn(item), 0);
    if (held !== came) this.violations.push(`accounts hold ${held}, entries brought in ${came}`);
  }

  #callProvider(invocation: Invocation, request: Parameters<ProviderCall>[0]): ReturnType<ProviderCall> {
    const apply = () => this.provider.apply(request);
    return this.#turn(invocation, `provider ${request.kind}`, PROVIDER_FATES).then((fate) =>
      this.#deliver(invocation, fate, apply),
    );
  }

  /** The call's turn; a call that hangs gets another one, as a zombie's. */
  async #turn({ process, abandon }: Invocation, label: string, fates: readonly Fate[]): Promise<Fate> {
    const fate = await this.scheduler.turn(process, label, fates);
    this.pass(CALL_TIME);
    if (fate !== 'hang') return fate;
    this.pass(HANG);
    abandon();
    return this.scheduler.turn(process, `${label} (zombie)`, ['ok']);
  }

  async #deliver<T>({ abandon }: Invocation, fate: Fate, apply: () => T): Promise<T> {
    switch (fate) {
      case 'ok':
        return apply();
      case 'lost':
        attempt(apply);
        throw named('TimeoutError');
      case 'dropped':
        throw named('TimeoutError');
      case 'crash-after':
        attempt(apply);
        break;
      default:
        break;
    }
    abandon();
    return new Promise<never>(() => {});
  }
}

/** What an entry adds to all accounts together: transfers nothing. */
function broughtIn({ sk, amount, debitAccount, creditAccount }: Record<string, unknown>): number {
  if (sk !== 'entry') return 0;
  return (creditAccount ? Number(amount) : 0) - (debitAccount ? Number(amount) : 0);
}

/** Applies a call whose answer nobody will see, a refusal included. */
function attempt(apply: () => unknown): void {
  try {
    apply();
  } catch {
    // The answer is lost, whatever it was.
  }
}

/** Different and in order, as UUIDv7s are. */
function uuidBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(2, count);
  bytes[6] = 0x70;
  bytes[8] = 0x80;
  return bytes;
}
