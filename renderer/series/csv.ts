/** Series of a chart as a table in a file: one row a step, one column a series (RFC 4180). Pure. */
import { cell } from '../../shared/cells.js';

export interface Column {
  readonly name: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
}

export function seriesToCsv(columns: readonly Column[]): string {
  const rows = new Map<number, Map<string, number>>();
  for (const { name, steps, values } of columns) {
    steps.forEach((step, at) => {
      const value = values[at];
      const row = rows.get(step) ?? new Map<string, number>();
      rows.set(step, row);
      if (value !== null && value !== undefined) row.set(name, value);
    });
  }
  const header = ['step', ...columns.map(({ name }) => name)].map(cell).join(',');
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([step, row]) => [step, ...columns.map(({ name }) => row.get(name))].map(cell).join(','));
  return [header, ...lines, ''].join('\r\n');
}
