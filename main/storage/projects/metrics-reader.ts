/**
 * The numbers a run has logged, as series that can be asked for windows. A log is read once; of one that grows only
 * what is new is read, and one that was cut back by a resume is read anew. Rows are the `metrics` events of
 * shared/events.ts: `{"at":"…","event":"metrics","phase":"grpo","cycle":1,"step":20,"seconds_computed":2,"values":{"kl":0.01}}`.
 */
import type { ChartAxis } from '../../../shared/axes.js';
import type { PhaseName } from '../../../shared/events.js';
import { downsample, type Points } from './downsample.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { onFile } from '../disk/file-errors.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';

interface MetricsWindow {
  /** Which series; those that the phase does not have are left out of the answer. */
  readonly names: readonly string[];
  /** Left out: steps. */
  readonly axis?: ChartAxis;
  /** First and last place wanted on the axis, both included; null for the beginning and the end. */
  readonly from?: number | null;
  readonly to?: number | null;
  /** At most so many points of each series, at least 4. */
  readonly points: number;
}

/** Points of a series, with their places on another axis than that of steps where one was asked for. */
type PlacedPoints = Points & { positions?: number[] };

interface MetricsAnswer {
  readonly series: Readonly<Record<string, PlacedPoints>>;
  /** The last step that the phase has logged; 0 when it has none. */
  readonly lastStep: number;
  /** Rows of the phase in the log. */
  readonly total: number;
  /** Those that do not say where they lie on the axis; no series has them. */
  readonly unplaced: number;
}

export interface MetricsReader {
  /** Takes in what was logged since the last time. @throws UserError `file_not_readable`, `file_damaged` from the disk */
  refresh(): void;
  /** The names of a phase's series, in the order in which they first appeared. */
  names(phase: PhaseName): readonly string[];
  /** @throws RangeError for fewer than 4 points */
  window(phase: PhaseName, window: MetricsWindow): MetricsAnswer;
  /** Lines that were not rows, which are passed over. */
  readonly unreadable: number;
  /** About what its points take in memory. */
  readonly byteLength: number;
}

/** How much is read at a time. */
const pieceSize = 1 << 20;
const newline = 0x0a;

/** @param file need not be there yet */
export function createMetricsReader(file: string, ops: FileOperations = nodeFileOperations): MetricsReader {
  let phases = new Map<string, Phase>();
  /** Where the last whole line that was taken in ends, and its bytes: they say whether this is still the same log. */
  let end = 0;
  let lastLine: Buffer = Buffer.alloc(0);
  let unreadable = 0;

  const forget = () => {
    phases = new Map();
    end = 0;
    lastLine = Buffer.alloc(0);
    unreadable = 0;
  };
  const take = (line: Buffer) => {
    const row = rowOf(line);
    if (row === null) unreadable += 1;
    else {
      const phase = phases.get(row.phase) ?? createPhase();
      phases.set(row.phase, phase);
      phase.take(row);
    }
  };

  return {
    refresh() {
      if (onFile(file, 'read', () => ops.kind(file)) !== 'file') return forget();
      const source = openFile(file, ops);
      try {
        if (!isSameLog(source, end, lastLine)) forget();
        let rest = Buffer.alloc(0);
        for (let position = end; position < source.byteLength;) {
          const piece = Buffer.alloc(Math.min(pieceSize, source.byteLength - position));
          source.read(position, piece);
          position += piece.byteLength;
          const bytes = rest.byteLength === 0 ? piece : Buffer.concat([rest, piece]);
          let start = 0;
          for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, start)) {
            lastLine = bytes.subarray(start, at + 1);
            take(lastLine);
            start = at + 1;
          }
          rest = bytes.subarray(start);
          end = position - rest.byteLength;
        }
        lastLine = Buffer.from(lastLine); // or it would keep its whole piece in memory
      } finally {
        source.close();
      }
    },
    names: (phase) => [...(phases.get(phase)?.series.keys() ?? [])],
    window(name, { names, axis = 'step', from = null, to = null, points }) {
      if (!Number.isInteger(points) || points < 4)
        throw new RangeError(`a window has at least 4 points, not ${points}`);
      const phase = phases.get(name);
      const series: Record<string, PlacedPoints> = {};
      const { rows: total = 0, lastStep = 0 } = phase ?? {};
      const places = phase && axis !== 'step' ? phase.places(axis) : null;
      const [first, last] = [from ?? -Infinity, to ?? Infinity];
      const steps = places ? places.stepsWithin(first, last) : ([first, last] as const);
      for (const wanted of names) {
        const columns = phase?.series.get(wanted);
        if (!columns) continue;
        const found = columns.window(...steps, points);
        series[wanted] = places ? placed(found, places) : found;
      }
      return { series, lastStep, total, unplaced: places ? total - places.known : 0 };
    },
    get unreadable() {
      return unreadable;
    },
    get byteLength() {
      return [...phases.values()]
        .flatMap(({ series, times }) => [...series.values(), ...Object.values(times)])
        .reduce((sum, columns) => sum + columns.byteLength, 0);
    },
  };
}

function isSameLog(source: OpenFile, end: number, lastLine: Buffer): boolean {
  if (source.byteLength < end) return false;
  const there = Buffer.alloc(lastLine.byteLength);
  source.read(end - lastLine.byteLength, there);
  return there.equals(lastLine);
}

interface Row {
  readonly phase: string;
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly seconds: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** By hand, not by schema: a log has a million rows. */
function rowOf(line: Buffer): Row | null {
  let row: unknown;
  try {
    row = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof row !== 'object' || row === null) return null;
  const { phase, step, at, seconds_computed, values } = row as Readonly<Record<string, unknown>>;
  if (typeof phase !== 'string' || typeof step !== 'number' || typeof values !== 'object') return null;
  return {
    phase,
    step,
    at: typeof at === 'string' ? Date.parse(at) : NaN,
    seconds: typeof seconds_computed === 'number' ? seconds_computed : NaN,
    values: values as Row['values'],
  };
}

interface Phase {
  readonly series: Map<string, Growing>;
  /** Seconds from the phase's beginning to each row. One that does not say its own leaves those after it without, too. */
  readonly times: Readonly<Record<'compute' | 'wall', Growing>>;
  rows: number;
  lastStep: number;
  take(row: Row): void;
  places(axis: Exclude<ChartAxis, 'step'>): Growing;
}

function createPhase(): Phase {
  const series = new Map<string, Growing>();
  const times = { compute: new Growing(), wall: new Growing() };
  let [begun, compute, wall] = [NaN, 0, 0];
  return {
    series,
    times,
    rows: 0,
    lastStep: 0,
    places: (axis) => (axis === 'tokens' ? (series.get('num_tokens') ?? new Growing()) : times[axis]),
    take({ step, at, seconds, values }) {
      if (this.rows === 0) begun = at - 1000 * (seconds || 0);
      this.rows += 1;
      this.lastStep = Math.max(this.lastStep, step);
      compute += seconds;
      // Somebody may have set the clock back.
      wall = Math.max(wall, (at - begun) / 1000);
      if (Number.isFinite(compute)) times.compute.push(step, compute);
      if (Number.isFinite(wall)) times.wall.push(step, wall);
      for (const name in values) {
        const columns = series.get(name) ?? new Growing();
        series.set(name, columns);
        const value = values[name];
        columns.push(step, typeof value === 'number' ? value : NaN);
      }
    },
  };
}

/** Two columns of numbers that grow at the end, sixteen bytes a point. */
class Growing {
  private steps = new Float64Array(64);
  private values = new Float64Array(64);
  private length = 0;

  get byteLength(): number {
    return this.steps.byteLength + this.values.byteLength;
  }

  push(step: number, value: number): void {
    if (this.length === this.steps.length) {
      this.steps = grown(this.steps);
      this.values = grown(this.values);
    }
    this.steps[this.length] = step;
    this.values[this.length] = value;
    this.length += 1;
  }

  get known(): number {
    return this.length;
  }

  window(from: number, to: number, points: number): Points {
    const first = this.firstAt((step) => step >= from);
    const end = Math.max(
      first,
      this.firstAt((step) => step > to),
    );
    return downsample({ steps: this.steps, values: this.values }, first, end, points);
  }

  /** Its value at a step, the last where it has several; null where it has none. */
  at(step: number): number | null {
    const last = this.firstAt((other) => other > step) - 1;
    return this.steps[last] === step ? Number(this.values[last]) : null;
  }

  /** The first and the last step whose value lies within; its values never fall. */
  stepsWithin(from: number, to: number): readonly [number, number] {
    const first = this.firstAt((value) => value >= from, this.values);
    const last = this.firstAt((value) => value > to, this.values) - 1;
    return first > last ? [Infinity, -Infinity] : [Number(this.steps[first]), Number(this.steps[last])];
  }

  /** Where the steps begin for which `is` holds; steps never fall. */
  private firstAt(is: (step: number) => boolean, column = this.steps): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(Number(column[middle]))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** What lies nowhere is left out. */
function placed({ steps, values }: Points, places: Growing): PlacedPoints {
  const result = { steps: [] as number[], values: [] as (number | null)[], positions: [] as number[] };
  for (const [index, step] of steps.entries()) {
    const position = places.at(step);
    if (position === null) continue;
    result.steps.push(step);
    result.values.push(values[index] ?? null);
    result.positions.push(position);
  }
  return result;
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
