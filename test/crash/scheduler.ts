/** What becomes of one call. */
export type Fate =
  /** Applied and answered. */
  | 'ok'
  /** Applied, its answer lost, sent again by the SDK, and that one answered. */
  | 'resent'
  /** Applied, and no answer ever comes. */
  | 'lost'
  /** Never arrives, and no answer comes. */
  | 'dropped'
  | 'crash-before'
  | 'crash-after'
  | 'throttle'
  | 'conflict'
  /** The client gives up on it, its lease lapses, and then it goes on: a zombie. */
  | 'hang';

/** A call that waits to be chosen. */
interface Pending {
  readonly process: number;
  readonly label: string;
  readonly fates: readonly Fate[];
  readonly settle: (fate: Fate) => void;
}

/** One thing that can happen next. */
interface Option {
  readonly pending: Pending;
  readonly fate: Fate;
}

/** A step of a schedule, as it is printed: which call of whom met which fate. */
export interface Step {
  readonly process: number;
  readonly label: string;
  readonly fate: Fate;
}

/** How much may go wrong in one schedule. */
export interface Budget {
  readonly faults: number;
  /** How often a process that could go on may be left waiting for another, or the oldest of its calls for a later one. */
  readonly switches: number;
}

/** Chooses one of so many options at a step; option 0 is always the run without interference. */
export type Choose = (step: number, options: number) => number;

/**
 * Decides, at each step, whose call runs next and what becomes of it. It notes what was chosen and how many options
 * there were, so that an explorer can run the same schedule again, or another.
 */
export class Scheduler {
  readonly steps: Step[] = [];
  readonly choices: number[] = [];
  /** How many options there were at each step. */
  readonly widths: number[] = [];
  readonly #chooseOption: Choose;
  readonly #pending: Pending[] = [];
  #faults: number;
  #switches: number;
  #current = -1;

  constructor(choose: Choose, budget: Budget) {
    this.#chooseOption = choose;
    this.#faults = budget.faults;
    this.#switches = budget.switches;
  }

  /** Waits for its turn. @returns what becomes of the call */
  turn(process: number, label: string, fates: readonly Fate[]): Promise<Fate> {
    return new Promise((settle) => {
      this.#pending.push({ process, label, fates, settle });
    });
  }

  /** Runs until nothing waits any more. */
  async run(): Promise<void> {
    for (await quiet(); this.#pending.length > 0; await quiet()) this.#choose();
  }

  #choose(): void {
    const options = this.#options();
    const choice = this.#chooseOption(this.widths.length, options.length);
    const option = options[choice];
    if (option === undefined) {
      throw new Error(`Step ${this.widths.length} has ${options.length} options; choice ${choice} is none of them.`);
    }
    this.widths.push(options.length);
    this.choices.push(choice);
    this.#take(option);
  }

  #take({ pending, fate }: Option): void {
    if (fate !== 'ok') this.#faults--;
    if (!this.#inOrder().includes(pending)) this.#switches--;
    this.#current = pending.process;
    this.steps.push({ process: pending.process, label: pending.label, fate });
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    pending.settle(fate);
  }

  /** What is next without interference comes first, so that option 0 everywhere is the run without any. */
  #options(): readonly Option[] {
    const inOrder = this.#inOrder();
    const others = this.#switches > 0 ? this.#pending.filter((pending) => !inOrder.includes(pending)) : [];
    return [...inOrder, ...others].flatMap((pending) => {
      const fates = this.#faults > 0 ? pending.fates : pending.fates.slice(0, 1);
      return fates.map((fate) => ({ pending, fate }));
    });
  }

  /** The oldest call of the running process; once that waits for nothing, the oldest of each. */
  #inOrder(): readonly Pending[] {
    const own = this.#pending.find(({ process }) => process === this.#current);
    if (own !== undefined) return [own];
    const seen = new Set<number>();
    return this.#pending.filter(({ process }) => !seen.has(process) && seen.add(process));
  }
}

/** Lets every promise that can go on do so; the code under test waits for nothing but its calls. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
