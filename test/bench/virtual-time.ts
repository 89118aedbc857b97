/** Time that passes only when nothing is left to do at its moment: a minute of waiting takes no minute. */
export class VirtualTime {
  #now = 1_800_000_000_000;
  readonly #events: { readonly at: number; readonly fire: () => void }[] = [];

  get now(): number {
    return this.#now;
  }

  sleep(duration: number): Promise<void> {
    return new Promise((fire) => {
      this.#events.push({ at: this.#now + duration, fire });
    });
  }

  /** Lets time pass until what runs is done. @throws what it throws, or an Error when it waits for something else */
  async run<T>(running: Promise<T>): Promise<T> {
    let done = false;
    const settled = running.finally(() => {
      done = true;
    });
    settled.catch(() => {});
    for (await quiet(); !done; await quiet()) this.#next();
    return settled;
  }

  #next(): void {
    let next = 0;
    for (let index = 1; index < this.#events.length; index++) {
      if ((this.#events[index]?.at ?? 0) < (this.#events[next]?.at ?? 0)) next = index;
    }
    const [event] = this.#events.splice(next, 1);
    if (event === undefined) throw new Error('What runs waits for something that is not in the model.');
    this.#now = event.at;
    event.fire();
  }
}

/** Everything that can go on does, before time passes. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
