import { isDeepStrictEqual } from 'node:util';
import {
  type CancellationReason,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readRaw } from '../../lib/store/record-item.ts';
import { ValidationProblem } from './expressions.ts';
import type { ModelDynamoDb } from './model-dynamodb.ts';

type Command = Parameters<ModelDynamoDb['apply']>[0];

/** A client that sends every call to DynamoDB and to the model of it, and notes where their answers differ. */
export class TwinClient {
  readonly differences: string[] = [];
  /** What was answered, by kind, so that a test can see that it tried them all. */
  readonly seen = new Map<string, number>();
  readonly #real: DynamoDBDocumentClient;
  readonly #model: ModelDynamoDb;

  constructor(real: DynamoDBDocumentClient, model: ModelDynamoDb) {
    this.#real = real;
    this.#model = model;
  }

  /** The store's view of it. */
  get client(): DynamoDBDocumentClient {
    return this as unknown as DynamoDBDocumentClient;
  }

  async send(command: Command): Promise<object> {
    const expected = await outcomeOf(async () => this.#model.apply(command));
    const actual = await outcomeOf(() => this.#real.send(command as never) as Promise<object>);
    const [real, model] = [comparable(actual), comparable(expected)];
    const kind = `${command.constructor.name.replace('Command', '')} ${real.kind}`;
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1);
    if (!isDeepStrictEqual(real, model)) {
      const [input, ...answers] = [command.input, real, model].map((value) => JSON.stringify(value, spellOut));
      this.differences.push(`${kind} ${input}\n  DynamoDB: ${answers[0]}\n  model:    ${answers[1]}`);
    }
    if ('error' in actual) throw actual.error;
    return actual.output;
  }
}

type Outcome = { readonly output: object } | { readonly error: unknown };

async function outcomeOf(send: () => Promise<object>): Promise<Outcome> {
  try {
    return { output: await send() };
  } catch (error) {
    return { error };
  }
}

/** What the code under test can see of an answer. */
interface Comparable {
  readonly kind: string;
  readonly content?: unknown;
}

function comparable(outcome: Outcome): Comparable {
  if ('output' in outcome) return { kind: 'ok', content: answerOf(outcome.output) };
  const { error } = outcome;
  if (error instanceof TransactionCanceledException) return cancelled(error.CancellationReasons ?? []);
  if (error instanceof ValidationProblem) return { kind: 'invalid' };
  if (!(error instanceof DynamoDBServiceException)) throw error;
  if (error.name === 'ValidationException') return { kind: 'invalid' };
  const { Item } = error as { Item?: Parameters<typeof readRaw>[0] };
  return { kind: error.name, content: readRaw(Item) };
}

function answerOf(output: object): object {
  const { Item, Items, Count, Responses } = output as Record<string, unknown>;
  return { Item, Items, Count, Responses };
}

/** The model throws what cannot be worked out; DynamoDB cancels the transaction for it. */
function cancelled(reasons: readonly CancellationReason[]): Comparable {
  const codes = reasons.map(({ Code = 'None' }) => Code);
  if (codes.includes('ValidationError') && !codes.includes('ConditionalCheckFailed')) return { kind: 'invalid' };
  const kind = `cancelled: ${[...new Set(codes)].sort().join(' and ')}`;
  return { kind, content: reasons.map(({ Code, Item }) => ({ Code, Item: readRaw(Item) })) };
}

const spellOut = (_: string, value: unknown): unknown => (value instanceof Set ? [...value] : value);
