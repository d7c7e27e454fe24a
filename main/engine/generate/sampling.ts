/** Draws tokens by inverting the cumulative distribution, so that a token depends on its logits and one uniform number alone. */
import * as tf from '@tensorflow/tfjs';
import { type SamplingRule, scoresUnder } from '../model/sampling-rule.js';

/** Draws a token for each row; ties at the k-th logit remain. logits, seen: (B, V), u: (B) in [0, 1); result: (B) int32 */
export function sampleTokens(
  logits: tf.Tensor2D,
  u: tf.Tensor1D,
  rule: SamplingRule<number | tf.Tensor>,
  seen?: tf.Tensor,
): tf.Tensor1D {
  const [B, V] = logits.shape;
  const cumulative = tf.cumsum(tf.softmax(scoresUnder(logits, rule, undefined, seen)), 1) as tf.Tensor2D; // (B, V)
  // Scaled by the last sum, which is not exactly 1, so that each u below 1 finds a token.
  const total = tf.slice(cumulative, [0, V - 1], [B, 1]);
  const passed = tf.lessEqual(cumulative, tf.mul(tf.reshape(u, [B, 1]), total));
  return tf.minimum(tf.sum(tf.cast(passed, 'int32'), 1), tf.scalar(V - 1, 'int32')) as tf.Tensor1D;
}
