import type { Random } from './seeded-random.ts';

/** How bad the way is: probabilities from 0 to 1. */
export interface Troubles {
  /** That a message, or its acknowledgement, never arrives. */
  readonly drop: number;
  /** That a message arrives twice. */
  readonly duplicate: number;
  /** That a message arrives later than what is sent after it. */
  readonly reorder: number;
}

/** A late message is late by up to so many rounds. */
const LATEST = 3;

/** A way on which messages get lost, multiply and overtake one another; time passes in rounds. */
export class LossyChannel<Message> {
  readonly #troubles: Troubles;
  readonly #random: Random;
  #rounds: Message[][] = [[]];

  constructor(troubles: Troubles, random: Random) {
    this.#troubles = troubles;
    this.#random = random;
  }

  send(message: Message): void {
    const { drop, duplicate } = this.#troubles;
    if (this.#random() < drop) return;
    this.#deliver(message);
    if (this.#random() < duplicate) this.#deliver(message);
  }

  /** What arrives now, in this order; the next round begins. */
  arrivals(): readonly Message[] {
    return this.#rounds.shift() ?? [];
  }

  /** Is nothing under way any more? */
  isEmpty(): boolean {
    return this.#rounds.every((round) => round.length === 0);
  }

  #deliver(message: Message): void {
    const late = this.#random() < this.#troubles.reorder;
    const delay = late ? 1 + Math.floor(this.#random() * LATEST) : 0;
    while (this.#rounds.length <= delay) this.#rounds.push([]);
    this.#rounds[delay]?.push(message);
  }
}
