/** What a schedule may do to somebody. */
export type Harm =
  /** Something happened more than once. */
  | 'double'
  /** Something that was promised, or paid for, did not happen. */
  | 'lost'
  /** Somebody waits for ever, or something is held for ever. */
  | 'stuck'
  /** Money came from nowhere or went there. */
  | 'money'
  /** Somebody was told what is not so. */
  | 'answer'
  /** What none of the checks foresaw. */
  | 'other';

const HARMS: readonly Harm[] = ['double', 'lost', 'stuck', 'money', 'answer', 'other'];

/** Says what is wrong, and whom it harms how. */
export const violation = (harm: Harm, text: string): string => `${harm}: ${text}`;

/** Which harms these violations name. */
function harmsOf(violations: readonly string[]): ReadonlySet<Harm> {
  return new Set(violations.map((text) => HARMS.find((harm) => text.startsWith(`${harm}: `)) ?? 'other'));
}

/** Counts the schedules that did each harm. */
export class HarmCount {
  readonly #counts = new Map<Harm, number>();

  add(violations: readonly string[]): void {
    for (const harm of harmsOf(violations)) this.#counts.set(harm, this.of(harm) + 1);
  }

  of(harm: Harm): number {
    return this.#counts.get(harm) ?? 0;
  }

  /** @example '0 done twice, 0 lost, 0 stuck, 0 answered wrongly, money conserved' */
  toString(): string {
    const money = this.of('money') === 0 ? 'money conserved' : `money not conserved in ${this.of('money')}`;
    const other = this.of('other') === 0 ? [] : [`${this.of('other')} otherwise wrong`];
    return [
      `${this.of('double')} done twice`,
      `${this.of('lost')} lost`,
      `${this.of('stuck')} stuck`,
      `${this.of('answer')} answered wrongly`,
      ...other,
      money,
    ].join(', ');
  }
}
