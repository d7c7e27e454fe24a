/** Reads logged metrics as series with windows; only new rows of a growing log are read. Rows of a `variant` are skipped. */
import type { ChartAxis } from '../../../shared/base/axes.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import { bytesAt } from '../../formats/byte-source.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { wholeLines } from '../disk/json-lines.js';
import { type Points, Series } from './series.js';

interface MetricsWindow {
  /** Wanted series; the answer omits those that the phase does not have. */
  readonly names: readonly string[];
  readonly axis?: ChartAxis;
  /** First and last position wanted on the axis, both included; null for the beginning and the end. */
  readonly from?: number | null;
  readonly to?: number | null;
  /** Maximum number of points of each series, at least 4. */
  readonly points: number;
}

/** Points of a series, with their positions on an axis other than that of steps. */
type PlacedPoints = Points & { positions?: number[] };

interface MetricsAnswer {
  readonly series: Readonly<Record<string, PlacedPoints>>;
  readonly lastStep: number;
  readonly total: number;
  /** Number of rows without a position on the axis; no series has them. */
  readonly unplaced: number;
}

export interface MetricsReader {
  /** Reads new rows, about so many bytes of them. @returns whether the end was reached. @throws UserError */
  refresh(bytes?: number): boolean;
  names(phase: PhaseName): readonly string[];
  /** @throws RangeError for fewer than 4 points */
  window(phase: PhaseName, window: MetricsWindow): MetricsAnswer;
  /** Number of lines that are no rows; they are ignored. */
  readonly unreadable: number;
  readonly byteLength: number;
}

interface Log {
  readonly phases: Map<string, Phase>;
  /** End of the last whole line that was read, and its bytes: they identify the log. */
  end: number;
  lastLine: Buffer;
  unreadable: number;
}

const emptyLog = (): Log => ({ phases: new Map(), end: 0, lastLine: Buffer.alloc(0), unreadable: 0 });

export function createMetricsReader(file: string, ops = nodeFileOperations): MetricsReader {
  let log = emptyLog();
  return {
    refresh(bytes = Infinity) {
      if (kindAt(file, ops) !== 'file') {
        log = emptyLog();
        return true;
      }
      const source = openFile(file, ops);
      try {
        if (!isSameLog(source, log)) log = emptyLog();
        const until = Math.min(source.byteLength, log.end + bytes);
        const before = log.end;
        readRows(source, log, until);
        // A line longer than that is read whole.
        if (log.end === before && until < source.byteLength) return this.refresh(2 * bytes);
        return until === source.byteLength;
      } finally {
        source.close();
      }
    },
    names: (phase) => [...(log.phases.get(phase)?.series.keys() ?? [])],
    window: (phase, window) => windowOf(log.phases.get(phase) ?? new Phase(), window),
    get unreadable() {
      return log.unreadable;
    },
    get byteLength() {
      return [...log.phases.values()]
        .flatMap(({ series, times }) => [...series.values(), ...Object.values(times)])
        .reduce((sum, column) => sum + column.byteLength, 0);
    },
  };
}

function isSameLog(source: OpenFile, { end, lastLine }: Log): boolean {
  if (end === 0 || source.byteLength < end) return end === 0;
  const length = lastLine.byteLength + 1;
  return bytesAt(source, end - length, length).toString('latin1') === `${lastLine.toString('latin1')}\n`;
}

function readRows(source: OpenFile, log: Log, until: number): void {
  for (const { line, end } of wholeLines(source, log.end, until)) {
    log.end = end;
    log.lastLine = line;
    const row = parseRow(line);
    if (row === null) log.unreadable += 1;
    if (row === null || row.isVariant) continue;
    const phase = log.phases.get(row.phase) ?? new Phase();
    log.phases.set(row.phase, phase);
    phase.add(row);
  }
  log.lastLine = Buffer.from(log.lastLine); // a view would hold its whole piece in memory
}

interface Row {
  readonly phase: string;
  readonly isVariant: boolean;
  readonly step: number;
  readonly at: number;
  readonly seconds: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Parses without a schema, for speed: a log may have a million rows. */
function parseRow(line: Buffer): Row | null {
  let row: unknown;
  try {
    row = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof row !== 'object' || row === null) return null;
  const { phase, variant, step, at, seconds_computed, values } = row as Readonly<Record<string, unknown>>;
  if (typeof phase !== 'string' || typeof step !== 'number' || typeof values !== 'object') return null;
  return {
    phase,
    isVariant: typeof variant === 'string',
    step,
    at: typeof at === 'string' ? Date.parse(at) : NaN,
    seconds: typeof seconds_computed === 'number' ? seconds_computed : NaN,
    values: values as Row['values'],
  };
}

class Phase {
  readonly series = new Map<string, Series>();
  /** Seconds from the phase's beginning to each row. After a row without its time no row has one. */
  readonly times = { compute: new Series(), wall: new Series() };
  rows = 0;
  lastStep = 0;
  private startedAt = NaN;
  private compute = 0;
  private wall = 0;

  add({ step, at, seconds, values }: Row): void {
    if (this.rows === 0) this.startedAt = at - 1000 * (seconds || 0);
    this.rows += 1;
    this.lastStep = Math.max(this.lastStep, step);
    this.compute += seconds;
    // The clock may have been set back.
    this.wall = Math.max(this.wall, (at - this.startedAt) / 1000);
    if (Number.isFinite(this.compute)) this.times.compute.push(step, this.compute);
    if (Number.isFinite(this.wall)) this.times.wall.push(step, this.wall);
    for (const name in values) {
      const series = this.series.get(name) ?? new Series();
      this.series.set(name, series);
      const value = values[name];
      series.push(step, typeof value === 'number' ? value : NaN);
    }
  }

  positionsOn(axis: Exclude<ChartAxis, 'step'>): Series {
    return axis === 'tokens' ? (this.series.get('num_tokens') ?? new Series()) : this.times[axis];
  }
}

function windowOf(
  phase: Phase,
  { names, axis = 'step', from = null, to = null, points }: MetricsWindow,
): MetricsAnswer {
  if (!Number.isInteger(points) || points < 4) throw new RangeError(`a window has at least 4 points, not ${points}`);
  const series: Record<string, PlacedPoints> = {};
  const [first, last] = [from ?? -Infinity, to ?? Infinity];
  const positions = axis === 'step' ? null : phase.positionsOn(axis);
  const steps = positions ? positions.stepsWithin(first, last) : ([first, last] as const);
  for (const name of names) {
    const found = phase.series.get(name)?.window(...steps, points);
    if (found) series[name] = positions ? placed(found, positions) : found;
  }
  const { rows: total, lastStep } = phase;
  return { series, lastStep, total, unplaced: positions ? total - positions.length : 0 };
}

function placed({ steps, values }: Points, positions: Series): PlacedPoints {
  const result = { steps: [] as number[], values: [] as (number | null)[], positions: [] as number[] };
  for (const [index, step] of steps.entries()) {
    const position = positions.at(step);
    if (position === null) continue;
    result.steps.push(step);
    result.values.push(values[index] ?? null);
    result.positions.push(position);
  }
  return result;
}
