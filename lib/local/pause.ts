/** Holds work up for a while. */
export class Pause {
  #over = Promise.resolve();
  #end: (() => void) | undefined;

  get isOn(): boolean {
    return this.#end !== undefined;
  }

  begin(): void {
    if (this.isOn) return;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }

  /** Resolves when it is over; at once when there is none. */
  async over(): Promise<void> {
    await this.#over;
  }
}
