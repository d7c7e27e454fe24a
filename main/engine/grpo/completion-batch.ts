/** The tensors of a batch of completions, N of T tokens, that an update reads. */
import * as tf from '@tensorflow/tfjs';
import type { Rollouts, TeachersRead } from './grpo-types.js';

export type CompletionBatch = {
  readonly ids: tf.Tensor;
  /** (N, T−1): 1 if the predicted token belongs to the completion. */
  readonly mask: tf.Tensor;
  readonly advantages: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** Of the policy that wrote; from the second pass on another one than the policy that learns. */
  readonly oldLogProbs?: tf.Tensor;
  /** In place of the configuration's. */
  readonly beta?: tf.Tensor;
  readonly read?: TeachersRead;
};

/** Some of the completions: from `first` to before `end`. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** Uploads the completions of `rows`. The caller disposes of them. */
export function completionBatch(
  { ids, promptLengths, advantages, referenceLogProbs, read }: Rollouts,
  rows: Rows,
  beta: number,
): CompletionBatch {
  const N = promptLengths.length;
  const T = ids.length / N;
  const count = rows.end - rows.first;
  const ofRows = <A extends { slice(from: number, to: number): A; readonly length: number }>(all: A) =>
    all.slice((rows.first * all.length) / N, (rows.end * all.length) / N);
  return {
    ids: tf.tensor2d(ofRows(Int32Array.from(ids)), [count, T], 'int32'),
    mask: tf.tensor2d(ofRows(completionMask(promptLengths, T)), [count, T - 1]),
    advantages: tf.tensor2d(ofRows(Float32Array.from(advantages)), [count, advantages.length / N]),
    referenceLogProbs: tf.tensor2d(ofRows(referenceLogProbs), [count, T - 1]),
    beta: tf.scalar(beta),
    ...(read ? { read } : {}),
  };
}

/** 1 if the token that is predicted at a position was written by the policy. (N, T−1), flat. */
export function completionMask(promptLengths: readonly number[], T: number): Float32Array {
  const mask = new Float32Array(promptLengths.length * (T - 1));
  promptLengths.forEach((length, row) => mask.fill(1, row * (T - 1) + length - 1, (row + 1) * (T - 1)));
  return mask;
}
