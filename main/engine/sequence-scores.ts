/** How likely a generator finds each token of given passages: the one place where sequences are scored. */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import { tokenLogProbs } from './layers.js';
import { lmLogits, trunk, type Parameters } from './model.js';

/** Scores of the next tokens (N, T−1, V) at the temperature the passages were sampled with. */
export function nextTokenLogits(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, temperature: number) {
  const [N = 0, T = 0] = ids.shape;
  const hidden = trunk(model, parameters, tf.slice(ids, [0, 0], [N, T - 1]));
  return tf.div(lmLogits(parameters, hidden), temperature);
}

/** Tokens 1 … T−1. (N, T) to (N, T−1) */
export const nextTokens = (ids: tf.Tensor): tf.Tensor => {
  const [N = 0, T = 0] = ids.shape;
  return tf.slice(ids, [0, 1], [N, T - 1]);
};

/** log p of tokens 1 … T−1 given those before. ids: (N, T); result: (N, T−1). */
export function sequenceLogProbs(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, temperature: number) {
  return tokenLogProbs(nextTokenLogits(model, parameters, ids, temperature), nextTokens(ids));
}
