import type { MessagePlan } from '../protocol/message.ts';
import type { Refusal } from '../protocol/plan.ts';
import type { SequenceEnding } from '../protocol/sequence.ts';
import type { Milliseconds } from '../protocol/time.ts';
import type { EventContext } from './apply-once.ts';

/** What a sender's messages do to its state. */
export type SequenceEffect<Body> =
  /** They add to named sums: nothing has to be read, a run is one request. */
  | { readonly deltas: (body: Body) => Readonly<Record<string, number>> }
  /**
   * They make a new state out of the old one: a run is one read and one write. The state is a JSON value; a refusal is
   * what `refuse` makes, whatever members a state has.
   */
  | { readonly fold: (state: unknown, body: Body) => unknown | Refusal }
  /** They are items of their own: a message is one transaction, of its effects and the mark. */
  | { readonly plan: PlanNumbered<Body> };

/** What a handler does with a numbered message: it reads, and returns effects or a permanent "no". It may run more than once. */
export type PlanNumbered<Body> = (body: Body, context: EventContext) => MessagePlan | Promise<MessagePlan>;

/** A run of one sender's messages, in the order in which they came. */
export interface SequenceRun<Body> {
  readonly consumer: string;
  readonly source: string;
  readonly sender: string;
  readonly messages: readonly NumberedMessage<Body>[];
  readonly effect: SequenceEffect<Body>;
  /** Epoch milliseconds after which no further try starts. */
  readonly deadline: Milliseconds;
}

export interface NumberedMessage<Body> {
  readonly seq: number;
  readonly body: Body;
  readonly correlationId?: string | undefined;
}

/** What became of each message; why, where one was refused. */
export interface RunEnding {
  readonly endings: readonly SequenceEnding[];
  readonly refusal: Refusal | undefined;
}
