/**
 * Logits of a large vocabulary in chunks of some hundred tokens, since all of them would be larger than anything else in a network.
 * They are not stored; the backward pass recomputes them. Shapes: N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { SCORES_AT_ONCE } from '../../../shared/costs/memory.js';
import { after } from '../runtime/control-flow.js';
import type { Network } from './architecture.js';
import { architectureOf } from './architectures.js';
import type { Parameters } from './parameters.js';

export interface LogitsInput {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  /** (…, C) */
  readonly hidden: tf.Tensor;
  /** The most logits of a chunk. Default: 64 MB. */
  readonly scoresAtOnce?: number;
}

export const networkOf = ({ model, parameters }: Omit<LogitsInput, 'hidden'>): Network =>
  architectureOf(model).network(model, parameters);

/** GPT-2 takes the unchunked path, so that existing projects stay bit-identical. */
export const isPlain = ({ model: { architecture = 'gpt2' } }: Pick<LogitsInput, 'model'>): boolean =>
  architecture === 'gpt2';

/** (…, C) as (N, C). */
export const asRows = (hidden: tf.Tensor): tf.Tensor2D => tf.reshape(hidden, [-1, hidden.shape.at(-1) ?? 0]);

export type Chunk = readonly [start: number, rows: number];

export function chunksOf({ model, scoresAtOnce = SCORES_AT_ONCE }: LogitsInput, N: number): readonly Chunk[] {
  const count = Math.ceil(N / Math.max(1, Math.floor(scoresAtOnce / model.vocab_size)));
  const rows = Math.ceil(N / count);
  return Array.from({ length: Math.ceil(N / rows) }, (_, i) => [i * rows, Math.min(rows, N - i * rows)]);
}

/** The rows of a chunk of (N) or (N, C). */
export function rowsOf<T extends tf.Tensor>(x: T, [start, rows]: Chunk): T {
  const [, ...rest] = x.shape;
  return tf.slice(x, [start, ...rest.map(() => 0)], [rows, ...rest]);
}

/** Computes one chunk after the other, so that only one chunk's logits are in memory. @param waitFor a result to wait for */
export function inSequence<T>(
  x: tf.Tensor,
  chunks: readonly Chunk[],
  each: (rows: tf.Tensor2D, chunk: Chunk, last: T | undefined) => T,
  waitFor: (made: T) => tf.Tensor,
): T[] {
  const made: T[] = [];
  for (const chunk of chunks) {
    const last = made.at(-1);
    const rows = rowsOf(x as tf.Tensor2D, chunk);
    made.push(each((last === undefined ? rows : after(rows, waitFor(last))) as tf.Tensor2D, chunk, last));
  }
  return made;
}

/** Logits of some rows, and their derivative by unbounded ones; null if that is 1. */
export function boundedLogits(cap: number | null, rows: tf.Tensor2D, head: tf.Tensor2D) {
  const scores = tf.matMul(rows, head, false, true);
  if (cap === null) return { logits: scores, slope: null };
  const share = tf.tanh(tf.div(scores, cap));
  return { logits: tf.mul(share, cap), slope: tf.sub(1, tf.square(share)) };
}

export const throughCap = (gradient: tf.Tensor, slope: tf.Tensor | null): tf.Tensor2D =>
  (slope === null ? gradient : tf.mul(gradient, slope)) as tf.Tensor2D;

/** Derivatives by a chunk's rows, and by the head for all chunks so far. */
export interface HeadGradients {
  readonly ofRows: tf.Tensor;
  readonly ofWeight: tf.Tensor;
}

export const accumulated = (last: HeadGradients | undefined, part: tf.Tensor): tf.Tensor =>
  last ? tf.add(last.ofWeight, part) : part;

/** The last tensor of a chunk: the head's derivative, unless the head is frozen. */
export const chunkDone =
  ({ model }: Pick<LogitsInput, 'model'>) =>
  ({ ofRows, ofWeight }: HeadGradients): tf.Tensor =>
    model.lora ? ofRows : ofWeight;

export const joinedGradients = (parts: readonly HeadGradients[]): tf.Tensor[] => {
  const sum = parts.at(-1)?.ofWeight;
  if (!sum) throw new Error('there are no rows');
  return [tf.concat(parts.map(({ ofRows }) => ofRows)), sum];
};

/** Values of each row's logits. */
interface Values {
  /** Further inputs by row, (N) or (N, …) each. */
  readonly inputs: readonly tf.Tensor[];
  /** (rows), or (K, rows) for K values, from logits (rows, V). */
  values(logits: tf.Tensor, inputs: readonly tf.Tensor[]): tf.Tensor;
  /** The derivative by the logits, (rows, V), whose rows are still to be multiplied by `factor` (rows). */
  derivative(
    logits: tf.Tensor,
    inputs: readonly tf.Tensor[],
    dy: tf.Tensor,
  ): { readonly byScores: tf.Tensor; readonly factor: tf.Tensor | null };
}

/** Computes values of each row's logits, (N) or (K, N), differentiable by hidden states and head. */
export function chunkedValues(scored: LogitsInput, { inputs, values, derivative }: Values): tf.Tensor {
  const hidden = asRows(scored.hidden);
  const { head, cap = null } = networkOf(scored);
  const chunks = chunksOf(scored, hidden.shape[0]);
  const partOf = (all: readonly tf.Tensor[], chunk: Chunk) => all.map((one) => rowsOf(one, chunk));
  const op = tf.customGrad((...args) => {
    const [x, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, (tensors: tf.Tensor[]) => void];
    const parts = inSequence(
      x,
      chunks,
      (rows, chunk) => values(boundedLogits(cap, rows, weight).logits, partOf(inputs, chunk)),
      (made) => made,
    );
    save([x, weight, ...inputs]);
    const gradFunc = (dy: tf.Tensor, saved: unknown) => {
      const [hidden, head, ...all] = saved as [tf.Tensor2D, tf.Tensor2D, ...tf.Tensor[]];
      const again = inSequence(
        after(hidden, dy),
        chunks,
        (rows, chunk, last: HeadGradients | undefined) => {
          const { logits, slope } = boundedLogits(cap, rows, head);
          const { byScores, factor } = derivative(logits, partOf(all, chunk), columnsOf(dy, chunk));
          const ofScores = throughCap(byScores, slope);
          const column = factor && tf.reshape(factor, [-1, 1]);
          const ofRows = tf.matMul(ofScores, head);
          return {
            ofRows: column ? tf.mul(ofRows, column) : ofRows,
            ofWeight: accumulated(
              last,
              tf.matMul(ofScores, column ? (tf.mul(rows, column) as tf.Tensor2D) : rows, true),
            ),
          };
        },
        chunkDone(scored),
      );
      return joinedGradients(again);
    };
    return { value: tf.concat(parts, (parts[0]?.rank ?? 1) - 1), gradFunc };
  });
  return op(hidden, head.weight);
}

/** A chunk of (N), or of each row of (K, N). */
const columnsOf = (x: tf.Tensor, [start, rows]: Chunk): tf.Tensor =>
  x.rank === 1 ? rowsOf(x, [start, rows]) : tf.slice(x, [0, start], [x.shape[0] ?? 0, rows]);
