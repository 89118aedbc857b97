import type { SimulationResult } from '../simulation/run-approach.ts';

const HEADER = ['', 'applied', 'lost', 'doubled', 'deliveries', 'memory'];

/** What became of the messages, one line for each way of consuming them. */
export function simulationTable(results: readonly SimulationResult[]): string {
  const rows = [HEADER, ...results.map(rowOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

const rowOf = ({ name, applied, lost, doubled, deliveries, memory }: SimulationResult): readonly string[] => [
  name,
  ...[applied, lost, doubled, deliveries].map((count) => count.toLocaleString('en-US')),
  `${(memory / 1_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} kB`,
];
