/** The result: one row for each measure, shape, precision and contender, as the table and `--json FILE` show it. Pure. */
import { z } from 'zod';
import { measures, precisions, shapeNames } from './shapes.js';

const contenders = ['verisim', 'pytorch-eager', 'pytorch-compile', 'transformers', 'trl', 'guide'] as const;
const milliseconds = z.number().nonnegative();

export const rowSchema = z.object({
  measure: z.enum(measures),
  shape: z.enum(shapeNames),
  precision: z.enum(precisions),
  contender: z.enum(contenders),
  /** A second way of one contender: `dynamic-cache` and `static-cache-compiled` of transformers. */
  variant: z.string().nullable(),
  /** One iteration, the same in every row of a measure and shape. */
  work: z.string(),
  /** Time of one iteration. */
  median_ms: milliseconds,
  min_ms: milliseconds,
  max_ms: milliseconds,
  repeats: z.int().positive(),
  /** Every repeat in order. */
  samples: z.array(z.number()),
  /** Processor time of one iteration over all threads. */
  cpu_ms: milliseconds.optional(),
  /** Peak resident memory of the contender's process at the end of the measure. */
  peak_mib: z.number().optional(),
});
export type Row = z.infer<typeof rowSchema>;

export const resultSchema = z.object({
  machine: z.object({
    date: z.string(),
    processor: z.string(),
    cores: z.int(),
    threads: z.int(),
    memory_gib: z.number(),
    system: z.string(),
    bf16: z.boolean(),
    load_average: z.number(),
    versions: z.record(z.string(), z.string()),
  }),
  rows: z.array(rowSchema),
  /** Contenders that could not be measured, with the error. */
  failures: z.array(z.string()),
});
export type BenchResult = z.infer<typeof resultSchema>;

/** A contender's answer to one repeat. */
export const sampleSchema = z.object({ ms: milliseconds, cpu_ms: milliseconds.optional() });
export type Sample = z.infer<typeof sampleSchema>;

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

type Identity = Pick<Row, 'measure' | 'shape' | 'precision' | 'contender' | 'variant' | 'work'>;

/** A row from the samples of a contender. */
export function rowOf(identity: Identity, samples: readonly Sample[], peakMib?: number): Row {
  const values = samples.map(({ ms }) => ms);
  const cpu = samples.flatMap(({ cpu_ms }) => cpu_ms ?? []);
  return {
    ...identity,
    ...{ median_ms: median(values), min_ms: Math.min(...values), max_ms: Math.max(...values) },
    ...{ repeats: values.length, samples: values },
    ...(cpu.length === 0 ? {} : { cpu_ms: median(cpu) }),
    ...(peakMib === undefined ? {} : { peak_mib: peakMib }),
  };
}

/** At least three significant digits, at most one decimal. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const HEAD = 'measure,shape,type,contender,ms,min,max,n,cpu ms,MiB,Verisim is'.split(',');
/** Columns that are aligned left. */
const LEFT = 4;

/** One line per row; the last column is how many times faster Verisim is. */
export function rowTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const isOwn = (one: Row) =>
      one.measure === row.measure &&
      one.shape === row.shape &&
      one.precision === row.precision &&
      one.contender === 'verisim';
    const own = rows.find(isOwn);
    return [
      ...[row.measure, row.shape, row.precision],
      row.variant === null ? row.contender : `${row.contender} (${row.variant})`,
      ...[row.median_ms, row.min_ms, row.max_ms].map(plainNumber),
      String(row.repeats),
      ...[row.cpu_ms, row.peak_mib].map((value) => (value === undefined ? '' : plainNumber(value))),
      own && own !== row ? `${(row.median_ms / own.median_ms).toFixed(2)}×` : '',
    ];
  });
  const table = [HEAD, ...lines];
  const widths = HEAD.map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)));
  const pad = (cell: string, i: number) => (i < LEFT ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0));
  return table.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}
