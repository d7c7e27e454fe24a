/** The result as text: one table of rows. Pure. */
import { figureOf, type Row } from './rows.js';

/** Three significant digits at least, no more than one decimal. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Columns as wide as their widest cell; the first `left` are aligned left, the others right. */
export function columns(lines: readonly (readonly string[])[], left: number): string {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  const pad = (cell: string, i: number) => (i < left ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0));
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

const HEAD = [
  'measure',
  'shape',
  'type',
  'contender',
  'median',
  'min',
  'max',
  'n',
  'of peak',
  'extra',
  'cpu ms',
  'MiB',
  'Verisim is',
];

/** One line for each row; the last column is how many times faster (or, in memory, smaller) Verisim is. */
export function rowTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const own = rows.find(
      ({ measure, shape, precision, contender, variant }) =>
        measure === row.measure &&
        shape === row.shape &&
        precision === row.precision &&
        contender === 'verisim' &&
        variant === null,
    );
    const unit = row.measure === 'peak_memory' ? 'MiB' : 'ms';
    const ratio = own && own !== row ? figureOf(row) / figureOf(own) : NaN;
    return [
      row.measure,
      row.shape,
      row.precision,
      row.variant === null ? row.contender : `${row.contender} (${row.variant})`,
      `${plainNumber(figureOf(row))} ${unit}`,
      plainNumber(Math.min(...row.samples)),
      plainNumber(Math.max(...row.samples)),
      String(row.repeats),
      row.share_of_peak === undefined ? '' : `${plainNumber(100 * row.share_of_peak)} %`,
      row.extra_percent === undefined ? '' : `${plainNumber(row.extra_percent)} %`,
      row.cpu_ms === undefined ? '' : plainNumber(row.cpu_ms),
      row.peak_mib === undefined ? '' : plainNumber(row.peak_mib),
      Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '',
    ];
  });
  return columns([HEAD, ...lines], 4);
}
