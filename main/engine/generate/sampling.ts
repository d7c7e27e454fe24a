/** Draws tokens by inverting the cumulative distribution, so that a token depends on its logits and one uniform number alone. */
import * as tf from '@tensorflow/tfjs';
import { type SamplingRule, scoresUnder } from '../model/sampling-rule.js';

/** Tokens of a block. In a large vocabulary, sums of blocks are accumulated first: one accumulation took as long as 40 sums. */
const BLOCK = 128;
const LARGE = 1024;

/** Draws a token for each row; ties at the k-th logit remain. logits, seen: (B, V), u: (B) in [0, 1); result: (B) int32 */
export function sampleTokens(
  logits: tf.Tensor2D,
  u: tf.Tensor1D,
  rule: SamplingRule<number | tf.Tensor>,
  seen?: tf.Tensor,
): tf.Tensor1D {
  const [B, V] = logits.shape;
  const weights: tf.Tensor2D = tf.softmax(scoresUnder(logits, rule, undefined, seen) as tf.Tensor2D);
  const levelOf = (total: tf.Tensor) => tf.mul(tf.reshape(u, [B, 1]), total);
  if (V <= LARGE) return findPlace(weights, levelOf).place;
  const count = Math.ceil(V / BLOCK);
  const padded = tf.pad(weights, [
    [0, 0],
    [0, count * BLOCK - V],
  ]);
  const blocks = tf.reshape(padded, [B, count, BLOCK]);
  const { place: block, rest } = findPlace(tf.sum(blocks, 2), levelOf);
  const own: tf.Tensor2D = tf.sum(tf.mul(blocks, tf.expandDims(tf.oneHot(block, count), 2)), 1);
  return tf.add(tf.mul(block, tf.scalar(BLOCK, 'int32')), findPlace(own, () => rest).place);
}

/**
 * Finds the first weight of each row with which their sum exceeds a level, or the last positive one. weights: (B, N)
 * @param levelOf (B, 1) from the sum of each row
 * @returns its index (B), and by how much the level exceeds the sum before it (B, 1)
 */
function findPlace(weights: tf.Tensor2D, levelOf: (total: tf.Tensor) => tf.Tensor) {
  const [B, N] = weights.shape;
  const cumulative: tf.Tensor2D = tf.cumsum(weights, 1);
  const total = tf.slice(cumulative, [0, N - 1], [B, 1]);
  const level = levelOf(total);
  const passed = tf.logicalAnd(tf.lessEqual(cumulative, level), tf.less(cumulative, total));
  return {
    place: tf.sum<tf.Tensor1D>(tf.cast(passed, 'int32'), 1),
    rest: tf.sub(level, tf.sum(tf.mul(weights, tf.cast(passed, 'float32')), 1, true)),
  };
}
