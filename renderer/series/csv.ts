/** Writes a chart's series as a table: one row per place on the axis, one column per series (RFC 4180). Pure. */
import type { ChartAxis } from '../../shared/base/axes.js';
import { cell } from '../../shared/base/cells.js';
import type { Series } from '../../shared/contract/projects.js';

interface Column extends Series {
  readonly name: string;
}

/** Headings of the first column, with its unit. */
const places: Readonly<Record<ChartAxis, string>> = {
  step: 'step',
  tokens: 'tokens',
  compute: 'compute_seconds',
  wall: 'wall_seconds',
};

/** @param axis the chart's axis; points without a place on it stay at their step */
export function seriesToCsv(columns: readonly Column[], axis: ChartAxis = 'step'): string {
  const rows = new Map<number, Map<string, number>>();
  for (const { name, steps, positions = steps, values } of columns) {
    positions.forEach((place, at) => {
      const value = values[at];
      const row = rows.get(place) ?? new Map<string, number>();
      rows.set(place, row);
      if (value !== null && value !== undefined) row.set(name, value);
    });
  }
  const header = [places[axis], ...columns.map(({ name }) => name)].map(cell).join(',');
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([place, row]) => [place, ...columns.map(({ name }) => row.get(name))].map(cell).join(','));
  return [header, ...lines, ''].join('\r\n');
}
