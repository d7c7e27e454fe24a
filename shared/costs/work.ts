/** Work in numbers: what is to be computed, as the phases count it (phases.ts), and how long that takes at a measured speed. */
import type { GPTConfig } from '../config/model.js';
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
}

export const nothing: Work = {
  updates: 0,
  trained: 0,
  scored: 0,
  written: 0,
  batched: 0,
  sequential: 0,
  compiled: 0,
};

export function together(...works: readonly Work[]): Work {
  const sum = (of: keyof Work) => works.reduce((total, work) => total + work[of], 0);
  return {
    updates: sum('updates'),
    trained: sum('trained'),
    scored: sum('scored'),
    written: sum('written'),
    batched: sum('batched'),
    sequential: sum('sequential'),
    compiled: sum('compiled'),
  };
}

export const trains = (model: GPTConfig, updates: number, tokens: number): Work => ({
  ...nothing,
  updates,
  trained: tokens,
  batched: tokens * trainingFlops(model),
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

export const times = (count: number, work: Work): Work => ({
  updates: count * work.updates,
  trained: count * work.trained,
  scored: count * work.scored,
  written: count * work.written,
  batched: count * work.batched,
  sequential: count * work.sequential,
  compiled: count * work.compiled,
});

/** A reward model's head alone learns, from hidden states that are known. */
export const headTrains = (model: GPTConfig, updates: number, states: number): Work => ({
  ...nothing,
  updates,
  batched: 3 * states * headFlops(model),
});

/** Operations of a graph: of a network without layers, and for each layer; counted on GPT-2. */
const graphs = { train: [250, 460], score: [65, 78], write: [130, 91], head: [240, 0] } as const;

export function compiles(model: GPTConfig, graph: keyof typeof graphs): Work {
  const [rest, layer] = graphs[graph];
  return { ...nothing, compiled: rest + model.n_layer * layer };
}

/** Floating-point operations. */
export const flopsOf = ({ batched, sequential }: Work): number => batched + sequential;

/** What a machine was measured to do, or is guessed to. */
export interface Speed {
  /** Floating-point operations a second that training and writing reach; null where nothing was measured. */
  readonly training: number | null;
  readonly writing: number | null;
  /** Seconds to compile an operation of a graph. */
  readonly compiling: number;
}

/** Before anything was measured: about what a processor of 2023 takes with two threads. */
export const SECONDS_PER_OPERATION = 0.003;

/** What training and writing reach of the best matrix product, measured on two cores. */
const shares = { training: 0.5, writing: 0.25 } as const;

/** A guess until something was measured with a model. @param peak operations a second in a matrix product; null: unknown */
export const guessedSpeed = (peak: number | null): Speed => ({
  training: peak !== null && peak > 0 ? shares.training * peak : null,
  writing: peak !== null && peak > 0 ? shares.writing * peak : null,
  compiling: SECONDS_PER_OPERATION,
});

/** Null where the speed of some of the work is not known. */
export function secondsOf({ batched, sequential, compiled }: Work, speed: Speed): number | null {
  const seconds = (operations: number, rate: number | null) =>
    operations === 0 ? 0 : rate === null ? null : operations / rate;
  const [first, second] = [seconds(batched, speed.training), seconds(sequential, speed.writing)];
  return first === null || second === null ? null : first + second + compiled * speed.compiling;
}
