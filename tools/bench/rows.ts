/** The result: one row for each measure, shape, precision and contender, as `--json FILE` holds them. Pure. */
import { z } from 'zod';
import { measures, precisions, shapeNames } from './shapes.js';

const contenders = ['verisim', 'pytorch-eager', 'pytorch-compile', 'transformers', 'trl', 'guide'] as const;

const milliseconds = z.number().nonnegative();

export const rowSchema = z.object({
  measure: z.enum(measures),
  /** Measures without a model (loading, matmul_peak) are under `tiny`. */
  shape: z.enum(shapeNames),
  precision: z.enum(precisions),
  contender: z.enum(contenders),
  /** Two ways of one contender: `dynamic-cache` and `static-cache-compiled` of transformers, `no-xla` of Verisim. */
  variant: z.string().nullable(),
  /** One iteration in words; the same in every row of a measure and shape. */
  work: z.string(),
  /** Time of one iteration. For `peak_memory` these three are null and the next three are there. */
  median_ms: milliseconds.nullable(),
  min_ms: milliseconds.nullable(),
  max_ms: milliseconds.nullable(),
  median_mib: z.number().optional(),
  min_mib: z.number().optional(),
  max_mib: z.number().optional(),
  repeats: z.int().positive(),
  /** Every repeat, in the order they were run. */
  samples: z.array(z.number()),
  /** Operations of one iteration, and the share of the matrix-multiply peak measured between the same repeats (MFU). */
  gflop: z.number().optional(),
  share_of_peak: z.number().optional(),
  /** Verisim: time inside TensorFlow's session of an iteration, and what comes on top of it, in percent. */
  session_ms: milliseconds.optional(),
  extra_percent: z.number().optional(),
  /** Verisim: part of the time that went into first runs, in which XLA compiles. */
  compile_ms: milliseconds.optional(),
  /** Processor time of one iteration, all threads together; says more than the clock on a busy machine. */
  cpu_ms: milliseconds.optional(),
  /** `startup`: until the library was loaded. */
  loaded_ms: milliseconds.optional(),
  /** Peak resident memory of the contender's process at the end of the measure. */
  peak_mib: z.number().optional(),
  /** Share of the processor that other programs took meanwhile; above a few percent the figures are unreliable. */
  other_load: z.number().nullable(),
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
    /** Measured matrix-multiply peak by precision, in GFLOP/s. */
    matmul_peak_gflops: z.record(z.string(), z.number()),
  }),
  rows: z.array(rowSchema),
  /** Contenders that could not be measured, in words. */
  failures: z.array(z.string()),
});
export type BenchResult = z.infer<typeof resultSchema>;

/** What a contender answers to one repeat. */
export const sampleSchema = z.object({
  ms: milliseconds,
  session_ms: milliseconds.optional(),
  compile_ms: milliseconds.optional(),
  cpu_ms: milliseconds.optional(),
  loaded_ms: milliseconds.optional(),
  gflops: z.number().optional(),
  mib: z.number().optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** Median of a field over the samples that have it; undefined when none has. */
export function medianOf(samples: readonly Sample[], field: keyof Sample): number | undefined {
  const values = samples.map((sample) => sample[field]).filter((value) => value !== undefined);
  return values.length > 0 ? median(values) : undefined;
}

type Identity = Pick<Row, 'measure' | 'shape' | 'precision' | 'contender' | 'variant' | 'work'>;

interface Circumstances {
  readonly otherLoad: number | null;
  readonly peakMib?: number | undefined;
  /** Operations of one iteration. */
  readonly flops?: number | null | undefined;
  /** The matrix-multiply peak of the same rotation, in GFLOP/s. */
  readonly peakGflops?: number | undefined;
}

/** A row from the samples of a contender. */
export function rowOf(identity: Identity, samples: readonly Sample[], circumstances: Circumstances): Row {
  const { otherLoad, peakMib, flops, peakGflops } = circumstances;
  const isMemory = identity.measure === 'peak_memory';
  const values = samples.map(({ ms, mib }) => (isMemory ? (mib ?? NaN) : ms));
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)];
  const session = medianOf(samples, 'session_ms');
  const compile = medianOf(samples, 'compile_ms');
  const cpu = medianOf(samples, 'cpu_ms');
  const loaded = medianOf(samples, 'loaded_ms');
  const extras = samples.flatMap(({ ms, session_ms: inside }) => (inside ? [(100 * (ms - inside)) / inside] : []));
  return {
    ...identity,
    ...(isMemory
      ? { median_ms: null, min_ms: null, max_ms: null, median_mib: middle, min_mib: least, max_mib: most }
      : { median_ms: middle, min_ms: least, max_ms: most }),
    repeats: values.length,
    samples: values,
    ...(flops ? { gflop: flops / 1e9 } : {}),
    ...(flops && peakGflops && !isMemory ? { share_of_peak: flops / 1e6 / middle / peakGflops } : {}),
    ...(session === undefined ? {} : { session_ms: session }),
    ...(extras.length === 0 ? {} : { extra_percent: median(extras) }),
    ...(compile ? { compile_ms: compile } : {}),
    ...(cpu === undefined ? {} : { cpu_ms: cpu }),
    ...(loaded === undefined ? {} : { loaded_ms: loaded }),
    ...(peakMib === undefined ? {} : { peak_mib: peakMib }),
    other_load: otherLoad,
  };
}

/** The figure that rows of one measure are compared by: milliseconds, or MiB. */
export const figureOf = (row: Row): number => row.median_ms ?? row.median_mib ?? NaN;
