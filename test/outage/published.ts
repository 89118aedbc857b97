/** The metrics that the alarms watch, as the functions publish them, by phase. */
const WATCHED = ['unknown', 'unfinished-count', 'unfinished-oldest-age', 'attention-count'] as const;

type Watched = (typeof WATCHED)[number];
type Phase = Readonly<Record<Watched, number>>;

const NOTHING: Phase = { unknown: 0, 'unfinished-count': 0, 'unfinished-oldest-age': 0, 'attention-count': 0 };

/** Reads what the functions print: counters are summed up, measures keep their highest. */
export class Published {
  readonly phases: Record<string, Phase> = {};
  #phase = '';

  enter(phase: string): void {
    this.#phase = phase;
    this.phases[phase] = NOTHING;
  }

  take(line: string): void {
    const seen = this.phases[this.#phase];
    if (seen === undefined || !line.startsWith('{"_aws"')) return;
    const metrics: Partial<Record<Watched, number | readonly number[]>> = JSON.parse(line);
    this.phases[this.#phase] = Object.fromEntries(
      WATCHED.map((name) => {
        const values = [metrics[name] ?? []].flat();
        const read = name === 'unknown' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
        return [name, name === 'unknown' ? seen[name] + read : Math.max(seen[name], read)];
      }),
    ) as Phase;
  }
}
