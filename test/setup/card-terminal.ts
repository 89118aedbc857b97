import type { CallPhase } from '../../lib/protocol/leased-operation.ts';
import { declined, type Found, type Outcome, succeeded, unknown } from '../../lib/protocol/outside-call.ts';

type Phase = CallPhase<{ readonly amount: number }>;

/** How the other side takes one call; `charge` does what it is asked. */
export type Act = (phase: Phase, charge: () => Outcome<string, string>) => Promise<Outcome<string, string>>;
type Answer = (phase: Phase, find: () => Found<string, string>) => Promise<Found<string, string>>;

/**
 * The other side of an outside call. By itself it charges once per reference and tells the truth when asked; a test
 * scripts what it does instead.
 */
export class Terminal {
  /** What it was asked to do, as verb and attempt, in order. */
  readonly asked: string[] = [];
  /** What it did, by reference. */
  readonly charges = new Map<string, number>();
  readonly #acts: Act[] = [];
  readonly #answers: Answer[] = [];

  /** What happens to the next calls; those after them are simply done. */
  next(...acts: readonly Act[]): void {
    this.#acts.push(...acts);
  }

  /** What the next look-ups are told. */
  nextFound(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  charge(phase: Phase): Promise<Outcome<string, string>> {
    this.asked.push(`charge ${phase.operation.attempt}`);
    const act = this.#acts.shift() ?? succeeds;
    return act(phase, () => this.#charge(phase));
  }

  find(phase: Phase): Promise<Found<string, string>> {
    this.asked.push(`find ${phase.operation.attempt}`);
    const answer = this.#answers.shift() ?? (async (_, find) => find());
    return answer(phase, () => this.#find(phase));
  }

  #charge({ operation, intent }: Phase): Outcome<string, string> {
    this.charges.set(operation.id, intent.amount);
    return succeeded(`receipt of ${operation.id}`);
  }

  #find({ operation }: Phase): Found<string, string> {
    return this.charges.has(operation.id) ? succeeded(`receipt of ${operation.id}`) : { kind: 'not-found' };
  }
}

export const succeeds: Act = async (_, charge) => charge();
export const declines: Act = async () => declined('The card has expired.');
/** The work is done, and nobody says so. */
export const doesSilently: Act = async (_, charge) => {
  charge();
  return unknown(new Error('no answer'));
};
/** Nothing is done, and nobody says so. */
export const isSilent = async () => unknown(new Error('no answer'));

/** Holds a call back on the other side until it is let go, before or after its work is done. */
export function stalls({ done = false, act = succeeds }: { readonly done?: boolean; readonly act?: Act } = {}) {
  const [reached, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stalled: Act = async (phase, charge) => {
    if (done) charge();
    reached.resolve();
    await letGo.promise;
    return act(phase, charge);
  };
  return { act: stalled, reached: reached.promise, letGo: letGo.resolve };
}
