/** Work in numbers: what is to be computed, as the phases count it (phases.ts), and how long that takes at a measured speed. */
import type { GPTConfig } from '../config/model.js';
import type { MachinePrecision } from './precision.js';
import { forwardFlops, headFlops, trainingFlops, writingFlops } from './network.js';

export interface Work {
  /** Steps of an optimizer. */
  readonly updates: number;
  /** Tokens forward and backward. */
  readonly trained: number;
  /** Tokens forward only, whole passages at once. */
  readonly scored: number;
  /** Tokens forward only, one after the other. */
  readonly written: number;
  /** Floating-point operations of what is trained and scored, and of what is written. */
  readonly batched: number;
  readonly sequential: number;
  /** Operations in the graphs that are compiled, each once on a machine. */
  readonly compiled: number;
  /** Of these, those that XLA compiles in any precision: products of bfloat16, which it has none of on a processor, are run as they are. */
  readonly compiledInAny: number;
}

const combine = (of: (count: keyof Work) => number): Work => ({
  updates: of('updates'),
  trained: of('trained'),
  scored: of('scored'),
  written: of('written'),
  batched: of('batched'),
  sequential: of('sequential'),
  compiled: of('compiled'),
  compiledInAny: of('compiledInAny'),
});

export const nothing = combine(() => 0);

export const together = (...works: readonly Work[]): Work =>
  combine((count) => works.reduce((sum, work) => sum + work[count], 0));

/** On a machine where its graphs have been compiled before, or where that is counted by itself. */
export const withoutCompiling = (work: Work): Work => ({ ...work, compiled: 0, compiledInAny: 0 });

export const times = (factor: number, work: Work): Work => combine((count) => factor * work[count]);

/** @param update operations of each, besides its gradients */
export const trains = (model: GPTConfig, updates: number, tokens: number, update = 0): Work => ({
  ...nothing,
  updates,
  trained: tokens,
  batched: tokens * trainingFlops(model) + updates * update,
});

export const scores = (model: GPTConfig, tokens: number): Work => ({
  ...nothing,
  scored: tokens,
  batched: tokens * forwardFlops(model, model.block_size),
});

/** Passages of a whole block; of each, every token but the first is written. */
export const writes = (model: GPTConfig, passages: number): Work => ({
  ...nothing,
  written: passages * (model.block_size - 1),
  sequential: writingFlops(model, passages),
});

/** A reward model's head alone learns, from hidden states that are known. */
export const headTrains = (model: GPTConfig, updates: number, states: number): Work => ({
  ...nothing,
  updates,
  batched: 3 * states * headFlops(model),
});

/**
 * What XLA compiles for a graph, as main/engine/runtime/graph.ts counts it (`operations`): of a network without layers, and for each
 * layer. Writing takes two graphs: for what all passages have given, and token by token. Weighed so that the time left of ten recorded
 * runs of small networks is right (tests/jobs/project/time-left.test.ts).
 */
const graphs = { train: [40, 74], score: [21, 25], write: [14, 28], head: [38, 0] } as const;

/** From so many layers on a graph is cut into its layers, and those that are alike are compiled once: as much as these few. */
const CUT = { from: 12, layers: 3 } as const;

export function compiles(model: GPTConfig, graph: keyof typeof graphs): Work {
  const [rest, layer] = graphs[graph];
  // Token by token all layers are one loop, which cannot be cut.
  const layers = isCut(model) && graph !== 'write' ? CUT.layers : model.n_layer;
  const compiled = rest + layers * layer;
  // What writes multiplies in f32.
  return { ...nothing, compiled, compiledInAny: graph === 'write' ? compiled : 0 };
}

/** Whether the graphs that a model learns and scores by are compiled layer by layer. */
export const isCut = ({ n_layer }: GPTConfig): boolean => n_layer >= CUT.from;

/** Floating-point operations. */
export const flopsOf = ({ batched, sequential }: Work): number => batched + sequential;

/** What a machine was measured to do, or is guessed to. */
export interface Speed {
  /** Floating-point operations a second that training and writing reach; null where nothing was measured. */
  readonly training: number | null;
  readonly writing: number | null;
  /** What training reaches in networks that are wide enough for bfloat16; null where they train as others do. */
  readonly wide: number | null;
  /** What matrix products take; memory and compiling depend on it too. */
  readonly precision: MachinePrecision;
  /** Seconds to compile an operation of a graph. */
  readonly compiling: number;
}

/** Before anything was measured: about what a processor of 2023 takes with two threads. */
export const SECONDS_PER_OPERATION = 0.0135;

/** What training and writing reach of the best matrix product, measured on two cores. */
const shares = { training: 0.5, writing: 0.25 } as const;

/** Nothing is known of bfloat16. */
const narrowOnly = { precision: 'f32', widePeak: null } as const;

/**
 * A guess until something was measured with a model.
 * @param peak operations a second in a matrix product; null: unknown
 * @param widePeak in one of bfloat16, where networks train in that
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

/** Null where the speed of some of the work is not known. */
export function secondsOf({ batched, sequential, compiled, compiledInAny }: Work, speed: Speed): number | null {
  const seconds = (operations: number, rate: number | null) =>
    operations === 0 ? 0 : rate === null ? null : operations / rate;
  const [first, second] = [seconds(batched, speed.training), seconds(sequential, speed.writing)];
  const operations = speed.precision === 'bf16' ? compiledInAny : compiled;
  return first === null || second === null ? null : first + second + operations * speed.compiling;
}
