import type { Consumer } from './consumer.ts';
import type { Message } from './message.ts';
import type { Random } from './seeded-random.ts';

/** What a run comes to. */
export interface Account {
  /** How many messages had their effect at least once. */
  readonly applied: number;
  /** How many never had it. */
  readonly lost: number;
  /** How many effects there were beyond the first of each message. */
  readonly doubled: number;
  readonly deliveries: number;
  /** What the consumer keeps in the end, in bytes. */
  readonly memory: number;
}

/** Where a worker dies in the middle of a delivery. */
const DEATHS = ['before', 'between', 'after'] as const;

/** Carries a consumer's decisions out, and dies now and then while it does. */
export class MortalWorker {
  readonly #consumer: Consumer;
  readonly #crash: number;
  readonly #random: Random;
  readonly #effects = new Map<string, number>();
  #deliveries = 0;

  constructor(consumer: Consumer, crash: number, random: Random) {
    this.#consumer = consumer;
    this.#crash = crash;
    this.#random = random;
  }

  /** @returns whether the message is acknowledged */
  take(message: Message): boolean {
    this.#deliveries += 1;
    const step = this.#consumer.receive(message);
    if (step.kind !== 'apply') return step.kind === 'acknowledge';
    const death = this.#random() < this.#crash ? DEATHS[Math.floor(this.#random() * DEATHS.length)] : undefined;
    if (death === 'before') return false;
    // One write cannot be died in the middle of: it is the death after it.
    this.#effects.set(message.id, (this.#effects.get(message.id) ?? 0) + 1);
    if (death === 'between' && !step.atomic) return false;
    step.remember();
    return death === undefined;
  }

  account(messages: number): Account {
    const applied = this.#effects.size;
    const effects = [...this.#effects.values()].reduce((sum, count) => sum + count, 0);
    return {
      applied,
      lost: messages - applied,
      doubled: effects - applied,
      deliveries: this.#deliveries,
      memory: this.#consumer.memory(),
    };
  }
}
