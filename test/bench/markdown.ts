import { numberText } from './charts.ts';

type Cell = string | number | undefined;

/** A table in Markdown; numbers with three digits. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? numberText(cell) : (cell ?? ''))).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Rows by one property, columns by another. @throws Error when a cell is missing */
export function pick<Row>(rows: readonly Row[], wanted: Partial<Row>): Row {
  const found = rows.find((row) => Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value));
  if (found === undefined) throw new Error(`Nothing was measured for ${JSON.stringify(wanted)}.`);
  return found;
}
