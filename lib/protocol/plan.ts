import { PROBLEMS, type ProblemCode, SemelError } from './problems.ts';

/** A DynamoDB item as plain JavaScript values (what lib-dynamodb marshalls). */
export type Item = Readonly<Record<string, unknown>>;

/** What every effect may carry beside its write. */
interface EffectBase {
  /**
   * What this effect's failing condition means, given the item it met (undefined: there was none).
   *
   * A reply is final, that is stored and replayed, 409, 410 and 412 too; never stored are 400, 401, 403, 406, 407, 408,
   * 413, 415, 423, 425, 428, 429, 431 and 5xx, after which the key is still usable (R15). A refusal is final where its
   * code is (R16). Undefined says that the condition means nothing final: the handler runs again and plans anew.
   *
   * @example refuse: () => ownProblem({ code: 'seat-taken', status: 409, title: 'The seat is taken', detail: 'Choose another.' })
   */
  readonly refuse?: (old: Item | undefined) => ReplyDraft | Refusal | undefined;
}

interface WriteTarget {
  /** The table; the endpoint's own table when left out. */
  readonly TableName?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** One DynamoDB write that an operation wants; the shape is TransactWriteItems' own. */
export type Effect = EffectBase &
  (
    | { readonly Put: WriteTarget & { readonly Item: Item } }
    | { readonly Update: WriteTarget & { readonly Key: Item; readonly UpdateExpression: string } }
    | { readonly Delete: WriteTarget & { readonly Key: Item } }
    | { readonly ConditionCheck: WriteTarget & { readonly Key: Item; readonly ConditionExpression: string } }
  );

/**
 * A reply as a handler writes it: the body is still a value and is serialized once, before the effect (R20). Which
 * statuses are final is the same everywhere: see `refuse` of an effect.
 */
export interface ReplyDraft {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What the reply is about, for `authorize(caller, resource)` on a replay (R4). */
  readonly resource?: string;
}

/** What tells a refusal from everything else that may have a `problem`; shared by all copies of this module in a process. */
const REFUSAL = Symbol.for('semel.refusal');

/** A business "no" by its code: final and stored, or not, as problems.ts says (R16). Made by `refuse` only. */
export interface Refusal {
  readonly [REFUSAL]: true;
  readonly problem: ProblemCode;
  readonly detail: string;
}

/** What a handler returns: the effects it wants and the reply that becomes true, and final, with them. */
export interface Plan {
  readonly effects: readonly Effect[];
  readonly reply: ReplyDraft;
}

/** Everything a handler may return; a bare reply is a plan without effects. */
export type Planned = Plan | ReplyDraft | Refusal;

export const isPlan = (planned: Planned): planned is Plan => 'effects' in planned;
export const isRefusal = (planned: unknown): planned is Refusal =>
  typeof planned === 'object' && planned !== null && REFUSAL in planned;

/** A refusal, as a value to return. @example refuse('insufficient-funds', 'The account holds 3.') */
export const refuse = (problem: ProblemCode, detail: string): Refusal => ({ [REFUSAL]: true, problem, detail });

/**
 * A thrown business "no" as the refusal that it is: whether a final code is returned or thrown makes no difference (R16).
 *
 * @throws whatever was thrown, unless it is a SemelError of a code that is stored
 */
export function refusalThrown(thrown: unknown): Refusal {
  if (thrown instanceof SemelError && PROBLEMS[thrown.code].stored) return refuse(thrown.code, thrown.message);
  throw thrown;
}
