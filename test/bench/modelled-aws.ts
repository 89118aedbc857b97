import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { seedItems } from '../../lib/wallet/seed.ts';
import { conflictOf } from '../crash/aws-errors.ts';
import { ModelDynamoDb } from '../crash/model-dynamodb.ts';
import { modelTables } from '../crash/model-tables.ts';
import { seeded, serviceTimes } from './service-times.ts';
import { VirtualTime } from './virtual-time.ts';

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: unknown;
}

type Target = { readonly TableName: string; readonly Key?: object; readonly Item?: object };

/**
 * DynamoDB with the time that calls take, and with what they do to each other meanwhile: a transaction prepares its
 * items half-way and holds those that it may write until it ends; whoever comes to such an item is told of a conflict.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export class ModelledAws {
  readonly time = new VirtualTime();
  readonly dynamodb = new ModelDynamoDb({ ...modelTables('semel', 'data'), powertools: { keys: ['id'] } });
  /** How many requests there were. */
  requests = 0;
  readonly #serviceTime: (call: string) => number;
  readonly #random: () => number;
  readonly #held = new Set<string>();

  constructor(seed: number) {
    this.#serviceTime = serviceTimes(seed);
    this.#random = seeded(seed + 1);
    for (const item of seedItems()) this.dynamodb.put('data', item);
  }

  get client(): DynamoDBDocumentClient {
    const send = (command: Command) => this.#send(command);
    return { send } as unknown as DynamoDBDocumentClient;
  }

  engine(): Engine {
    return createEngine({
      store: { client: this.client, table: 'semel', dataTable: 'data' },
      surroundings: {
        ...SYSTEM,
        now: () => milliseconds(this.time.now),
        random: this.#random,
        sleep: (duration) => this.time.sleep(duration),
        abortAfter: () => NEVER,
      },
    });
  }

  async #send(command: Command): Promise<object> {
    this.requests++;
    const name = command.constructor.name.replace('Command', '');
    const duration = this.#serviceTime(name);
    if (name === 'TransactWrite') return this.#transact(command, duration);
    await this.time.sleep(duration);
    if (name !== 'Get' && keysOf(command.input).some((key) => this.#held.has(key))) {
      throw conflictOf(name, command.input);
    }
    return this.dynamodb.apply(command);
  }

  async #transact(command: Command, duration: number): Promise<object> {
    await this.time.sleep(duration / 2);
    const keys = keysOf(command.input);
    const failing = this.dynamodb.failing(command.input);
    const contested = keys.map((key) => this.#held.has(key));
    const prepared = keys.filter((_, index) => !contested[index] && !failing[index]);
    for (const key of prepared) this.#held.add(key);
    await this.time.sleep(duration / 2);
    for (const key of prepared) this.#held.delete(key);
    if (contested.some(Boolean)) throw cancelled(contested, failing, () => this.dynamodb.apply(command));
    return this.dynamodb.apply(command);
  }
}

const NEVER = new AbortController().signal;

function keysOf(input: unknown): readonly string[] {
  const { TransactItems } = input as { TransactItems?: readonly object[] };
  const targets = TransactItems?.map((item) => Object.values(item)[0] as Target) ?? [input as Target];
  return targets.map(({ TableName, Key, Item }) => {
    const { pk, sk, id } = (Key ?? Item) as Record<string, unknown>;
    return [TableName, pk, sk, id].join(' ');
  });
}

/** Conflicts, and what failing conditions met on the items that nobody else holds. */
function cancelled(contested: readonly boolean[], failing: readonly boolean[], apply: () => object): Error {
  const met = failing.some(Boolean) ? reasonsOf(apply) : [];
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: contested.map((conflict, index) =>
      conflict ? { Code: 'TransactionConflict' } : (met[index] ?? { Code: 'None' }),
    ),
  });
}

function reasonsOf(apply: () => object) {
  try {
    apply();
  } catch (error) {
    if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
    throw error;
  }
  throw new Error('A transaction with failing conditions went through.');
}
