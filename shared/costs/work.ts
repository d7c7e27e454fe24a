/** Amounts of computation, and the time they take at a measured speed. */
import type { GPTConfig } from '../config/model.js';
import { forwardFlops, headFlops, trainingFlops, writingFlops } from './network.js';
import type { MachinePrecision } from './precision.js';

export interface Work {
  /** Floating-point operations of training and scoring, whole passages at once. */
  readonly batched: number;
  /** Floating-point operations of writing, token by token. */
  readonly sequential: number;
  /** Operations in the graphs that are compiled. */
  readonly compiled: number;
}

export const nothing: Work = { batched: 0, sequential: 0, compiled: 0 };

export const together = (...works: readonly Work[]): Work =>
  works.reduce(
    (sum, work) => ({
      batched: sum.batched + work.batched,
      sequential: sum.sequential + work.sequential,
      compiled: sum.compiled + work.compiled,
    }),
    nothing,
  );

export const times = (factor: number, { batched, sequential, compiled }: Work): Work => ({
  batched: factor * batched,
  sequential: factor * sequential,
  compiled: factor * compiled,
});

export const withoutCompiling = (work: Work): Work => ({ ...work, compiled: 0 });

export const trains = (model: GPTConfig, tokens: number): Work => ({
  ...nothing,
  batched: tokens * trainingFlops(model),
});

export const scores = (model: GPTConfig, tokens: number): Work => ({
  ...nothing,
  batched: tokens * forwardFlops(model, model.block_size),
});

/** Passages of a whole block. */
export const writes = (model: GPTConfig, passages: number): Work => ({
  ...nothing,
  sequential: writingFlops(model, passages),
});

/** Training of a reward head alone, on known hidden states. */
export const headTrains = (model: GPTConfig, states: number): Work => ({
  ...nothing,
  batched: 3 * states * headFlops(model),
});

/** Operations of a graph as XLA compiles them (main/engine/runtime/graph.ts): without layers, and for each layer. */
const graphs = { train: [40, 74], score: [21, 25], write: [14, 28], head: [38, 0] } as const;

/** From this many layers on, a graph is cut into layers, and equal layers are compiled once: as much as these few. */
const CUT = { from: 12, layers: 3 } as const;

/** Whether the graphs of training and scoring are compiled layer by layer. */
export const isCut = ({ n_layer }: GPTConfig): boolean => n_layer >= CUT.from;

export function compiles(model: GPTConfig, graph: keyof typeof graphs): Work {
  const [rest, layer] = graphs[graph];
  // Writing loops over the layers in one graph, which cannot be cut.
  const layers = isCut(model) && graph !== 'write' ? CUT.layers : model.n_layer;
  return { ...nothing, compiled: rest + layers * layer };
}

export const flopsOf = ({ batched, sequential }: Work): number => batched + sequential;

export interface Speed {
  /** Floating-point operations a second in training and in writing; null: unknown. */
  readonly training: number | null;
  readonly writing: number | null;
  /** Training of networks that are wide enough for bfloat16; null: as others. */
  readonly wide: number | null;
  readonly precision: MachinePrecision;
  /** Seconds to compile an operation of a graph. */
  readonly compiling: number;
}

/** A processor of 2023 with two threads. */
export const SECONDS_PER_OPERATION = 0.0135;

/** Shares of the best matrix product that training and writing reach, measured on two cores. */
const shares = { training: 0.5, writing: 0.25 } as const;

const narrowOnly = { precision: 'f32', widePeak: null } as const;

/**
 * Guesses a speed until one is measured with a model.
 * @param peak operations a second in a matrix product; null: unknown
 * @param widePeak the same in bfloat16
 */
export const guessedSpeed = (
  peak: number | null,
  { precision, widePeak }: { readonly precision: MachinePrecision; readonly widePeak: number | null } = narrowOnly,
): Speed => ({
  training: peak !== null && peak > 0 ? shares.training * peak : null,
  writing: peak !== null && peak > 0 ? shares.writing * peak : null,
  wide: widePeak !== null && widePeak > 0 ? shares.training * widePeak : null,
  precision,
  compiling: SECONDS_PER_OPERATION,
});

/** Null if the speed of some of the work is unknown. */
export function secondsOf({ batched, sequential, compiled }: Work, speed: Speed): number | null {
  const seconds = (operations: number, rate: number | null) =>
    operations === 0 ? 0 : rate === null ? null : operations / rate;
  const [first, second] = [seconds(batched, speed.training), seconds(sequential, speed.writing)];
  return first === null || second === null ? null : first + second + compiled * speed.compiling;
}
