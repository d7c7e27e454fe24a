/** The tensors of a batch of completions, N of T tokens. */
import * as tf from '@tensorflow/tfjs';
import type { Rollouts, TeachersRead } from './grpo-types.js';

export type CompletionBatch = {
  readonly ids: tf.Tensor;
  /** (N, T−1): 1 if the predicted token belongs to the completion. */
  readonly mask: tf.Tensor;
  readonly advantages: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** Of the policy that wrote, for several passes over a batch. */
  readonly oldLogProbs?: tf.Tensor;
  /** Overrides the configuration's. */
  readonly beta?: tf.Tensor;
  readonly read?: TeachersRead;
};

/** Uploads the completions from `first` to before `end`. The caller disposes of them. */
export function completionBatch(
  { ids, promptLengths, advantages, referenceLogProbs, read }: Rollouts,
  rows: { readonly first: number; readonly end: number },
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

/** Marks the positions that predict a token of a completion with 1. (N, T−1), flat. */
export function completionMask(promptLengths: readonly number[], T: number): Float32Array {
  const mask = new Float32Array(promptLengths.length * (T - 1));
  promptLengths.forEach((length, row) => mask.fill(1, row * (T - 1) + length - 1, (row + 1) * (T - 1)));
  return mask;
}
