import type { Message } from './message.ts';

/** What a consumer is to do about one delivery. */
export type Step =
  | {
      readonly kind: 'apply';
      /** Are effect and memory one write? If not, a death between the two forgets what was done. */
      readonly atomic: boolean;
      readonly remember: () => void;
    }
  /** It knows the message: nothing to do but to acknowledge it. */
  | { readonly kind: 'acknowledge' }
  /** It is not this message's turn; the sender has to send it again. */
  | { readonly kind: 'set-aside' };

export interface Consumer {
  receive(message: Message): Step;
  /** What it keeps, in bytes. */
  memory(): number;
}

/** One way of not applying a message twice. */
export interface Approach {
  readonly name: string;
  /** A consumer that remembers nothing yet; `messages` is how many there will be. */
  start(messages: number): Consumer;
}

/** The effect first, the memory of it second: what everybody does whose effect and memory are in two places. */
export const effectThenMemory = (remember: () => void): Step => ({ kind: 'apply', atomic: false, remember });

/** Effect and memory in one write. */
export const together = (remember: () => void): Step => ({ kind: 'apply', atomic: true, remember });

export const ACKNOWLEDGE: Step = { kind: 'acknowledge' };
