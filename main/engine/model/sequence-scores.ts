/** Scores passages: log-probabilities of each token under a generator. */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { SamplingRule } from './sampling-rule.js';
import { nextTokenLogProbs } from './token-losses.js';
import { trunk, type Parameters } from './model.js';

/** Hidden states of tokens 0 … T−2 of passages (N, T), with the tokens after them. @param recomputation of the backward pass */
export function readBefore(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, recomputation?: Recomputation) {
  const [N = 0, T = 0] = ids.shape;
  const hidden = trunk(model, parameters, tf.slice(ids, [0, 0], [N, T - 1]), undefined, recomputation);
  return { model, parameters, hidden, labels: nextTokens(ids) };
}

/** Tokens 1 … T−1. (N, T) to (N, T−1) */
const nextTokens = (ids: tf.Tensor): tf.Tensor => {
  const [N = 0, T = 0] = ids.shape;
  return tf.slice(ids, [0, 1], [N, T - 1]);
};

/** log p of tokens 1 … T−1. ids: (N, T); result: (N, T−1) */
export function sequenceLogProbs(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, rule: SamplingRule) {
  return nextTokenLogProbs(readBefore(model, parameters, ids), rule);
}

export interface Reading {
  /** (N, T, C) */
  readonly hidden: tf.Tensor3D;
  /** (N, T−1): log p of tokens 1 … T−1. */
  readonly logProbs: tf.Tensor;
}

/** Hidden states and log-probabilities from one pass. ids: (N, T) */
export function readSequences(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, rule: SamplingRule): Reading {
  const [N = 0, T = 0] = ids.shape;
  const hidden = trunk(model, parameters, ids);
  const before = tf.slice(hidden, [0, 0, 0], [N, T - 1, model.n_embd]);
  return {
    hidden,
    logProbs: nextTokenLogProbs({ model, parameters, hidden: before, labels: nextTokens(ids) }, rule),
  };
}
