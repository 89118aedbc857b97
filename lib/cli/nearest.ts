/**
 * The candidate that a mistyped word most likely meant, or undefined when none is close.
 * @example nearest('strat', ['start', 'keys']) // 'start'
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // A third of the letters wrong is still a typing mistake; more is another word.
  return best && best.distance <= Math.max(1, Math.ceil(word.length / 3)) ? best.candidate : undefined;
}

/** How many letters have to be inserted, left out, replaced or swapped with their neighbour. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same, swap];
      (rows[row] as number[])[column] = Math.min(...edits);
    }
  }
  return at(from.length, to.length);
}
