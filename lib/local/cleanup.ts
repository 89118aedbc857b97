/** Undoes what was started, newest first. */
export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];

  /** Waits for something to start and remembers how to end it. */
  async started<T>(starting: Promise<T>, end: (what: T) => Promise<void>): Promise<T> {
    const what = await starting;
    this.add(() => end(what));
    return what;
  }

  /** Remembers how to end what is running already. */
  add(end: () => Promise<void>): void {
    this.#steps.push(end);
  }

  /** Runs every step, even after one has failed. @throws the first failure */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
