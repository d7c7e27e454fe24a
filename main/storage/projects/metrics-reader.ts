/**
 * The numbers a run has logged, as series that can be asked for windows. A log is read once; of one that grows only
 * what is new is read, and one that was cut back by a resume is read anew. Of a long log the lowest and highest values of each
 * stretch are kept in memory (series/growing-columns.ts), and the rows of a window that is nearer than that are read again. Rows are the `metrics` events of
 * shared/events.ts; those of a variant are series of their own, with its name before theirs (head/loss), and times of their own: `{"at":"…","event":"metrics","phase":"grpo","cycle":1,"step":20,"seconds_computed":2,"values":{"kl":0.01}}`.
 */
import type { ChartAxis } from '../../../shared/axes.js';
import type { PhaseName } from '../../../shared/events.js';
import { variantMetric } from '../../../shared/phases/index.js';
import type { Points } from './series/downsample.js';
import { GrowingColumns } from './series/growing-columns.js';
import { bytesAt, piecesOf } from '../../formats/byte-source.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { type FileOperations, kindAt, nodeFileOperations } from '../disk/file-operations.js';

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
  /**
   * Takes in what was logged since the last time, or about so many bytes of it.
   * @returns whether that was all
   * @throws UserError `file_not_readable`, `file_damaged` from the disk
   */
  refresh(bytes?: number): boolean;
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

interface ReaderOptions {
  readonly ops?: FileOperations;
  /** Keep every point in memory, for whoever wants them all. */
  readonly whole?: boolean;
}

/** @param file need not be there yet */
export function createMetricsReader(file: string, options: ReaderOptions = {}): MetricsReader {
  const { ops = nodeFileOperations, whole = false } = options;
  /** By phase, and by variant within it: each begins at step 0. */
  let phases = new Map<string, Map<string, Phase>>();
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
  const take = (line: Buffer, position: number) => {
    const row = rowOf(line);
    if (row === null) unreadable += 1;
    else {
      const variants = phases.get(row.phase) ?? new Map<string, Phase>();
      const phase = variants.get(row.variant) ?? createPhase(whole);
      phases.set(row.phase, variants.set(row.variant, phase));
      phase.take(row, position);
    }
  };
  /** Every row of a phase between two steps, as it stands in the log. */
  const readAgain = (name: PhaseName, variant: string, from: number, to: number): Phase => {
    const found = createPhase(true);
    const [first, last] = phases.get(name)?.get(variant)?.bytesOf(from, to) ?? [0, 0];
    const source = openFile(file, ops);
    try {
      eachLine(source, first, Math.min(last, end), (line, position) => {
        const row = rowOf(line);
        if (row?.phase === name && row.variant === variant) found.take(row, position);
      });
    } finally {
      source.close();
    }
    return found;
  };

  return {
    refresh(bytes = Infinity) {
      if (kindAt(file, ops) !== 'file') {
        forget();
        return true;
      }
      const source = openFile(file, ops);
      try {
        if (!isSameLog(source, end, lastLine)) forget();
        const until = Math.min(source.byteLength, end + bytes);
        const begins = end;
        end = eachLine(source, end, until, (line, position) => {
          lastLine = line;
          take(line, position);
        });
        lastLine = Buffer.from(lastLine); // or it would keep its whole piece in memory
        // A line that is longer than so many bytes has to come whole.
        if (end === begins && until < source.byteLength) return this.refresh(2 * bytes);
        return until === source.byteLength;
      } finally {
        source.close();
      }
    },
    names: (phase) => namesIn(phases.get(phase) ?? NO_VARIANTS),
    window: (name, window) => answer(phases.get(name) ?? NO_VARIANTS, window, (...which) => readAgain(name, ...which)),
    get unreadable() {
      return unreadable;
    },
    get byteLength() {
      return [...phases.values()]
        .flatMap((variants) => [...variants.values()])
        .flatMap(({ series, times }) => [...series.values(), ...Object.values(times)])
        .reduce((sum, columns) => sum + columns.byteLength, 0);
    },
  };
}

/** @param again reads every row of a variant between two steps from the log */
function answer(
  variants: Variants,
  { names, axis = 'step', from = null, to = null, points }: MetricsWindow,
  again: (variant: string, from: number, to: number) => Phase,
): MetricsAnswer {
  if (!Number.isInteger(points) || points < 4) throw new RangeError(`a window has at least 4 points, not ${points}`);
  const series: Record<string, PlacedPoints> = {};
  let [lastStep, total, unplaced] = [0, 0, 0];
  const [first, last] = [from ?? -Infinity, to ?? Infinity];
  for (const [variant, phase] of variants) {
    const places = axis === 'step' ? null : phase.places(axis);
    const steps = places ? places.stepsWithin(first, last) : ([first, last] as const);
    let read: Phase | null = null;
    for (const wanted of names) {
      const name = ownName(wanted, variant);
      const columns = name === null ? undefined : phase.series.get(name);
      if (name === null || !columns) continue;
      const kept = columns.window(...steps, points);
      if (kept === null) read ??= again(variant, ...steps);
      const found = kept ?? read?.series.get(name)?.window(...steps, points) ?? { steps: [], values: [] };
      series[wanted] = places ? placed(found, places) : found;
    }
    lastStep = Math.max(lastStep, phase.lastStep);
    total += phase.rows;
    unplaced += places ? phase.rows - places.known : 0;
  }
  return { series, lastStep, total, unplaced };
}

type Variants = ReadonlyMap<string, Phase>;
const NO_VARIANTS: Variants = new Map();

const namesIn = (variants: Variants): string[] =>
  [...variants].flatMap(([variant, { series }]) =>
    [...series.keys()].map((name) => (variant === OWN ? name : variantMetric(variant, name))),
  );

/** The variant that has no name, as it is the one that is used. */
const OWN = '';

/** What a series is called among those of a variant; null where it is another's. */
function ownName(wanted: string, variant: string): string | null {
  if (variant === OWN) return wanted;
  const prefix = variantMetric(variant, '');
  return wanted.startsWith(prefix) ? wanted.slice(prefix.length) : null;
}

/** Goes through the whole lines between two places of a file. @returns where the last of them ends */
function eachLine(
  source: OpenFile,
  from: number,
  until: number,
  take: (line: Buffer, position: number) => void,
): number {
  let rest = Buffer.alloc(0);
  let end = from;
  let position = from;
  for (const piece of piecesOf(source, pieceSize, from, until)) {
    position += piece.byteLength;
    const bytes = rest.byteLength === 0 ? piece : Buffer.concat([rest, piece]);
    const begins = position - bytes.byteLength;
    let start = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, start)) {
      take(bytes.subarray(start, at + 1), begins + start);
      start = at + 1;
    }
    rest = bytes.subarray(start);
    end = position - rest.byteLength;
  }
  return end;
}

function isSameLog(source: OpenFile, end: number, lastLine: Buffer): boolean {
  if (source.byteLength < end) return false;
  return bytesAt(source, end - lastLine.byteLength, lastLine.byteLength).equals(lastLine);
}

interface Row {
  readonly phase: string;
  readonly variant: string;
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
  const { phase, variant, step, at, seconds_computed, values } = row as Readonly<Record<string, unknown>>;
  if (typeof phase !== 'string' || typeof step !== 'number' || typeof values !== 'object') return null;
  return {
    phase,
    variant: typeof variant === 'string' ? variant : OWN,
    step,
    at: typeof at === 'string' ? Date.parse(at) : NaN,
    seconds: typeof seconds_computed === 'number' ? seconds_computed : NaN,
    values: values as Row['values'],
  };
}

interface Phase {
  readonly series: Map<string, GrowingColumns>;
  /** Seconds from the phase's beginning to each row. One that does not say its own leaves those after it without, too. */
  readonly times: Readonly<Record<'compute' | 'wall', GrowingColumns>>;
  rows: number;
  lastStep: number;
  /** @param position where it stands in the log */
  take(row: Row, position: number): void;
  places(axis: Exclude<ChartAxis, 'step'>): GrowingColumns;
  /** Where in the log all of its rows between two steps stand, about. */
  bytesOf(from: number, to: number): readonly [number, number];
}

/** So many rows, and it is noted where the next stands. */
const MARKED = 2048;

function createPhase(whole: boolean): Phase {
  const series = new Map<string, GrowingColumns>();
  const times = { compute: new GrowingColumns(whole), wall: new GrowingColumns(whole) };
  const marks: { readonly step: number; readonly position: number }[] = [];
  let [begun, compute, wall] = [NaN, 0, 0];
  return {
    series,
    times,
    rows: 0,
    lastStep: 0,
    places: (axis) => (axis === 'tokens' ? (series.get('num_tokens') ?? new GrowingColumns(whole)) : times[axis]),
    take({ step, at, seconds, values }, position) {
      if (this.rows % MARKED === 0) marks.push({ step, position });
      if (this.rows === 0) begun = at - 1000 * (seconds || 0);
      this.rows += 1;
      this.lastStep = Math.max(this.lastStep, step);
      compute += seconds;
      // Somebody may have set the clock back.
      wall = Math.max(wall, (at - begun) / 1000);
      if (Number.isFinite(compute)) times.compute.push(step, compute);
      if (Number.isFinite(wall)) times.wall.push(step, wall);
      for (const name in values) {
        const columns = series.get(name) ?? new GrowingColumns(whole);
        series.set(name, columns);
        const value = values[name];
        columns.push(step, typeof value === 'number' ? value : NaN);
      }
    },
    bytesOf(from, to) {
      // A step may have several rows.
      const first = marks.findLast(({ step }) => step < from);
      return [first?.position ?? 0, marks.find(({ step }) => step > to)?.position ?? Infinity];
    },
  };
}

/** What lies nowhere is left out. */
function placed({ steps, values }: Points, places: GrowingColumns): PlacedPoints {
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
