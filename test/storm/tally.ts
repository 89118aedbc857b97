/** Counts what the consumers' logs say. A consumer that is killed after its commit says nothing of it. */
export class Tally {
  #applied = 0;
  #duplicates = 0;
  #again = 0;

  take(line: string): void {
    if (line.includes('"outcome":"applied"')) this.#applied++;
    else if (line.includes('"outcome":"duplicate"')) this.#duplicates++;
    else if (line.includes('will be delivered again')) this.#again++;
  }

  get counts() {
    return {
      'deliveries that applied their event': this.#applied,
      'deliveries acknowledged as duplicates': this.#duplicates,
      'deliveries that failed by themselves': this.#again,
    };
  }
}
