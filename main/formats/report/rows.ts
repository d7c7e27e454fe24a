/** Every number that was logged as a row of CSV (RFC 4180): run, cycle, phase, step, metric, value. */
import { cell } from '../../../shared/base/cells.js';

interface LoggedRow {
  readonly run: string;
  readonly cycle: number;
  readonly phase: string;
  readonly step: number;
  readonly metric: string;
  readonly value: number | null;
}

const columns = ['run', 'cycle', 'phase', 'step', 'metric', 'value'] as const;

/** @returns with a heading; lines end in CRLF, as the format wants; a value that is no finite number is empty */
export function* metricRows(rows: Iterable<LoggedRow>): Generator<string> {
  yield `${columns.join(',')}\r\n`;
  for (const row of rows) yield `${columns.map((column) => cell(row[column])).join(',')}\r\n`;
}
