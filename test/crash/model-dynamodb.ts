import {
  ConditionalCheckFailedException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { meets, updated } from './expressions.ts';

type Item = Record<string, unknown>;

/** One write of any kind, as the commands' inputs spell it. */
interface WriteInput {
  readonly TableName: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

type Action = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';

/** The tables there are, by name. */
export interface Tables {
  readonly [table: string]: {
    readonly keys: readonly string[];
    /** By name: the attribute that groups an index's items, and the one that orders them. */
    readonly indexes?: Readonly<Record<string, readonly [string, string]>>;
  };
}

const META = { $metadata: { httpStatusCode: 400 } };

/**
 * DynamoDB as far as the code under test can tell: items, conditions, transactions, tokens. In memory and synchronous,
 * so that every call is one atomic step of a schedule. That it behaves like the real one is a test of its own.
 */
export class ModelDynamoDb {
  readonly #tables: Tables;
  readonly #items = new Map<string, Map<string, Item>>();
  /** Client request tokens of applied transactions, with what they applied. */
  readonly #tokens = new Map<string, string>();

  constructor(tables: Tables) {
    this.#tables = tables;
    for (const table of Object.keys(tables)) this.#items.set(table, new Map());
  }

  /** Applies a command of lib-dynamodb and returns its output. @throws the SDK's own exceptions */
  apply(command: { readonly constructor: { readonly name: string }; readonly input: unknown }): object {
    const input = command.input as WriteInput;
    switch (command.constructor.name) {
      case 'GetCommand':
        return this.#read(input);
      case 'PutCommand':
        return this.#write('Put', input);
      case 'DeleteCommand':
        return this.#write('Delete', input);
      case 'UpdateCommand':
        return this.#write('Update', input);
      case 'QueryCommand':
        return this.#query(command.input as QueryInput);
      case 'TransactGetCommand':
        return this.#transactGet(command.input as { TransactItems: { Get: WriteInput }[] });
      case 'TransactWriteCommand':
        return this.#transactWrite(command.input as TransactInput);
      default:
        throw new Error(`The model does not know ${command.constructor.name}.`);
    }
  }

  /** Which conditions of a transaction fail by now; of a write without one, none does. */
  failing(transaction: unknown): readonly boolean[] {
    const { TransactItems } = transaction as TransactInput;
    return writesOf(TransactItems).map(({ input }) => !this.#holds(input, this.#old(input)));
  }

  items(table: string): readonly Item[] {
    return [...this.#rows(table).values()];
  }

  put(table: string, item: Item): void {
    this.#rows(table).set(this.#keyOf(table, item), structuredClone(item));
  }

  /** What TTL does, some day. */
  expire(table: string, now: number): void {
    for (const [key, item] of this.#rows(table)) {
      if (typeof item.expiresAt === 'number' && item.expiresAt * 1_000 <= now) this.#rows(table).delete(key);
    }
  }

  #read({ TableName, Key }: WriteInput): { Item?: Item } {
    const item = this.#rows(TableName).get(this.#keyOf(TableName, Key ?? {}));
    return item === undefined ? {} : { Item: structuredClone(item) };
  }

  #transactGet({ TransactItems }: { TransactItems: { Get: WriteInput }[] }) {
    return { Responses: TransactItems.map(({ Get }) => this.#read(Get)) };
  }

  #write(action: Action, input: WriteInput): object {
    const old = this.#old(input);
    if (!this.#holds(input, old)) {
      const shown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old;
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        ...META,
        ...(shown && { Item: marshall(old) }),
      });
    }
    this.#outcome(action, input, old)();
    return {};
  }

  #transactWrite({ TransactItems, ClientRequestToken: token }: TransactInput): object {
    const content = JSON.stringify(TransactItems);
    const known = token === undefined ? undefined : this.#tokens.get(token);
    if (known === content) return {};
    if (known !== undefined) throw new IdempotentParameterMismatchException({ message: 'Other parameters', ...META });
    const writes = writesOf(TransactItems).map((write) => ({ ...write, old: this.#old(write.input) }));
    const failed = writes.map(({ input, old }) => !this.#holds(input, old));
    // All are worked out before the first is kept: one that cannot be leaves nothing of the others.
    const kept = writes.map(({ action, input, old }, index) =>
      failed[index] ? () => {} : this.#outcome(action, input, old),
    );
    if (failed.some(Boolean)) throw this.#cancelled(writes, failed);
    for (const keep of kept) keep();
    if (token !== undefined) this.#tokens.set(token, content);
    return {};
  }

  #cancelled(writes: readonly { input: WriteInput; old: Item | undefined }[], failed: readonly boolean[]) {
    return new TransactionCanceledException({
      message: 'Transaction cancelled',
      ...META,
      CancellationReasons: writes.map(({ input, old }, index) => {
        if (!failed[index]) return { Code: 'None' };
        const shown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old;
        return { Code: 'ConditionalCheckFailed', ...(shown && { Item: marshall(old) }) };
      }),
    });
  }

  #query(input: QueryInput): { Items?: Item[]; Count: number } {
    const { TableName, IndexName = '', KeyConditionExpression, Limit, ScanIndexForward = true } = input;
    const [hash = '', range = hash] =
      this.#tables[TableName]?.indexes?.[IndexName] ?? this.#tables[TableName]?.keys ?? [];
    const found = this.items(TableName)
      .filter((item) => item[hash] !== undefined && item[range] !== undefined)
      .filter((item) => meets(KeyConditionExpression, placeholdersOf(input), item))
      .sort((left, right) => order(left[range], right[range]));
    const Items = (ScanIndexForward ? found : found.reverse()).slice(0, Limit).map((item) => structuredClone(item));
    return input.Select === 'COUNT' ? { Count: Items.length } : { Items, Count: Items.length };
  }

  #holds(input: WriteInput, old: Item | undefined): boolean {
    return input.ConditionExpression === undefined || meets(input.ConditionExpression, placeholdersOf(input), old);
  }

  /** What a write makes of its item, to be called when it is to be kept. */
  #outcome(action: Action, input: WriteInput, old: Item | undefined): () => void {
    const rows = this.#rows(input.TableName);
    const key = this.#keyOf(input.TableName, input.Item ?? input.Key ?? {});
    switch (action) {
      case 'Put': {
        const item = dropUndefined(structuredClone(input.Item ?? {}));
        return () => rows.set(key, item);
      }
      case 'Update': {
        const item = updated(input.UpdateExpression ?? '', placeholdersOf(input), { ...input.Key, ...old });
        return () => rows.set(key, item);
      }
      case 'Delete':
        return () => rows.delete(key);
      case 'ConditionCheck':
        return () => {};
    }
  }

  #old(input: WriteInput): Item | undefined {
    return this.#rows(input.TableName).get(this.#keyOf(input.TableName, input.Item ?? input.Key ?? {}));
  }

  #rows(table: string): Map<string, Item> {
    const rows = this.#items.get(table);
    if (rows === undefined) throw new Error(`There is no table ${table}.`);
    return rows;
  }

  #keyOf(table: string, item: Item): string {
    return (this.#tables[table]?.keys ?? []).map((name) => String(item[name])).join('|');
  }
}

interface QueryInput extends WriteInput {
  readonly KeyConditionExpression: string;
  readonly IndexName?: string;
  readonly Limit?: number;
  readonly ScanIndexForward?: boolean;
  readonly Select?: string;
}

interface TransactInput {
  readonly TransactItems: readonly object[];
  readonly ClientRequestToken?: string;
}

const writesOf = (items: readonly object[]) =>
  items.map((item) => {
    const [[action, input]] = Object.entries(item) as [[Action, WriteInput]];
    return { action, input };
  });

const placeholdersOf = (input: WriteInput) => ({
  names: input.ExpressionAttributeNames ?? {},
  values: input.ExpressionAttributeValues ?? {},
});

const order = (left: unknown, right: unknown): number =>
  typeof left === 'number' && typeof right === 'number'
    ? left - right
    : Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));

const dropUndefined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
