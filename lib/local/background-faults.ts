import { type Fault, parseFaults } from './faults.ts';

/** What goes wrong in invocations that no client waits for. */
export interface BackgroundFault {
  /** How the function's logical id begins; case does not count. */
  readonly function: string;
  readonly faults: readonly Fault[];
  /** The batch is handled, but the queue never learns of it. */
  readonly losesAcknowledgement: boolean;
  /** How many invocations are struck; Infinity: no limit. */
  count: number;
  /** How likely each is struck, from 0 to 1. */
  readonly probability: number;
}

/** What strikes one invocation. */
export interface Misfortune {
  readonly faults: readonly Fault[];
  readonly losesAcknowledgement: boolean;
}

const LOSE_ACKNOWLEDGEMENT = 'lose-acknowledgement';

/**
 * Reads what `POST /_local/faults` was asked for.
 * @returns the fault, or a sentence that says what is wrong with it
 * @example readBackgroundFault({ function: 'Deposit', fault: 'crash-after=1', probability: 0.1 })
 */
export function readBackgroundFault(asked: unknown): BackgroundFault | string {
  const { function: name, fault, count, probability } = Object(asked) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '' || typeof fault !== 'string') {
    return 'Say which function and which fault: {"function": "Deposit", "fault": "crash-after=1", "count": 1}.';
  }
  if (!isOptional(count, (number) => Number.isInteger(number) && number >= 1)) return 'The count is a number from 1.';
  if (!isOptional(probability, (number) => number > 0 && number <= 1)) return 'The probability is over 0, up to 1.';
  const faults = parseFaults(fault === LOSE_ACKNOWLEDGEMENT ? undefined : fault);
  if (typeof faults === 'string') return `${faults} In the background there is ${LOSE_ACKNOWLEDGEMENT} too.`;
  const losesAcknowledgement = fault === LOSE_ACKNOWLEDGEMENT;
  // Without either, the next invocation is meant.
  const least = probability === undefined ? 1 : Number.POSITIVE_INFINITY;
  return { function: name, faults, losesAcknowledgement, count: count ?? least, probability: probability ?? 1 };
}

const isOptional = (value: unknown, isFine: (number: number) => boolean): value is number | undefined =>
  value === undefined || (typeof value === 'number' && isFine(value));

/** The faults that wait for invocations to strike. */
export class BackgroundFaults {
  readonly #random: () => number;
  #waiting: BackgroundFault[] = [];

  /** @param random from 0 to 1, for the probabilities */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  add(fault: BackgroundFault): void {
    this.#waiting.push(fault);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** What strikes the next invocation of a function: everything that waits for it and is not spared by chance. */
  strike(logicalId: string): Misfortune {
    const struck = this.#waiting.filter((fault) => concerns(fault, logicalId) && this.#random() < fault.probability);
    for (const fault of struck) fault.count -= 1;
    this.#waiting = this.#waiting.filter(({ count }) => count > 0);
    return {
      faults: struck.flatMap(({ faults }) => faults),
      losesAcknowledgement: struck.some(({ losesAcknowledgement }) => losesAcknowledgement),
    };
  }
}

const concerns = ({ function: asked }: BackgroundFault, logicalId: string): boolean =>
  logicalId.toLowerCase().startsWith(asked.toLowerCase());
