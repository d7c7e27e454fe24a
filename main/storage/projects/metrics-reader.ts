/**
 * The numbers a run has logged, as series that can be asked for windows. A log is read once; of one that grows only
 * what is new is read, and one that was cut back by a resume is read anew. Rows are the `metrics` events of
 * shared/events.ts: `{"event":"metrics","phase":"grpo","cycle":1,"step":20,"values":{"kl":0.01}}`.
 */
import type { PhaseName } from '../../../shared/events.js';
import { downsample, type Points } from './downsample.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { onFile } from '../disk/file-errors.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';

interface MetricsWindow {
  /** Which series; those that the phase does not have are left out of the answer. */
  readonly names: readonly string[];
  /** First and last step wanted, both included; null for the beginning and the end. */
  readonly from?: number | null;
  readonly to?: number | null;
  /** At most so many points of each series, at least 4. */
  readonly points: number;
}

interface MetricsAnswer {
  readonly series: Readonly<Record<string, Points>>;
  /** The last step that the phase has logged; 0 when it has none. */
  readonly lastStep: number;
  /** Rows of the phase in the log. */
  readonly total: number;
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
      phase.take(row.step, row.values);
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
    window(name, { names, from = null, to = null, points }) {
      if (!Number.isInteger(points) || points < 4)
        throw new RangeError(`a window has at least 4 points, not ${points}`);
      const phase = phases.get(name);
      const series: Record<string, Points> = {};
      for (const wanted of names) {
        const columns = phase?.series.get(wanted);
        if (columns) series[wanted] = columns.window(from ?? -Infinity, to ?? Infinity, points);
      }
      return { series, lastStep: phase?.lastStep ?? 0, total: phase?.rows ?? 0 };
    },
    get unreadable() {
      return unreadable;
    },
    get byteLength() {
      return [...phases.values()]
        .flatMap(({ series }) => [...series.values()])
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
  const { phase, step, values } = row as Partial<Row>;
  if (typeof phase !== 'string' || typeof step !== 'number' || typeof values !== 'object') return null;
  return { phase, step, values: values as Row['values'] };
}

interface Phase {
  readonly series: Map<string, Growing>;
  rows: number;
  lastStep: number;
  take(step: number, values: Row['values']): void;
}

function createPhase(): Phase {
  const series = new Map<string, Growing>();
  return {
    series,
    rows: 0,
    lastStep: 0,
    take(step, values) {
      this.rows += 1;
      this.lastStep = Math.max(this.lastStep, step);
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

  window(from: number, to: number, points: number): Points {
    const first = this.firstAt((step) => step >= from);
    const end = Math.max(
      first,
      this.firstAt((step) => step > to),
    );
    return downsample({ steps: this.steps, values: this.values }, first, end, points);
  }

  /** Where the steps begin for which `is` holds; steps never fall. */
  private firstAt(is: (step: number) => boolean): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(Number(this.steps[middle]))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
