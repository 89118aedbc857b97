/**
 * Lays rows out in columns, the first row as their heads.
 * @example textTable([['id', 'caller'], ['key_1', 'carol']]) // 'id     caller\nkey_1  carol'
 */
export function textTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.map((_, column) => column) ?? [];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
