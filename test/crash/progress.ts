/** A bar on the terminal; a line every so often elsewhere. */
export class Progress {
  readonly #total: number;
  readonly #started = Date.now();
  #done = 0;
  #shown = 0;

  constructor(total: number) {
    this.#total = total;
  }

  add(count: number): void {
    this.#done += count;
    const step = process.stderr.isTTY ? 500 : 10_000;
    if (Date.now() - this.#shown < step) return;
    this.#shown = Date.now();
    this.#show();
  }

  end(): void {
    this.#show();
    process.stderr.write('\n');
  }

  #show(): void {
    const share = Math.min(1, this.#done / this.#total);
    const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '·');
    const seconds = Math.round((Date.now() - this.#started) / 1_000);
    const line = `${bar} ${Math.floor(share * 100)} % ${this.#done} schedules, ${seconds} s`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
  }
}
