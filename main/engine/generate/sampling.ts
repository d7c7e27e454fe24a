/** Draws tokens by inverting the cumulative distribution, so that a token depends on its logits and one uniform number alone. */
import * as tf from '@tensorflow/tfjs';

export interface SamplingRule {
  readonly temperature: number;
  /** The number of likeliest tokens that can be drawn; null for all. */
  readonly topK: number | null;
  /** The probability of the likeliest tokens that can be drawn (Holtzman et al. 2020); absent: 1. */
  readonly topP?: number;
  /** The tokenizer's number of tokens; the model may have more outputs. */
  readonly vocabLimit: number;
}

/** Finite, since −∞ − −∞ is NaN. */
const NEVER = -1e30;

/** Draws a token for each row; ties at the k-th logit remain. logits: (B, V), u: (B) in [0, 1); result: (B) int32 */
export function sampleTokens(logits: tf.Tensor2D, u: tf.Tensor1D, rule: SamplingRule): tf.Tensor1D {
  const [B, V] = logits.shape;
  let scores: tf.Tensor2D = tf.div(logits, rule.temperature);
  if (rule.vocabLimit < V) scores = tf.slice(scores, [0, 0], [B, rule.vocabLimit]);
  const choices = scores.shape[1];
  if (rule.topK !== null && rule.topK < choices) {
    const kth = tf.slice(tf.topk(scores, rule.topK, true).values, [0, rule.topK - 1], [B, 1]);
    scores = tf.where(tf.less(scores, kth), tf.fill(scores.shape, NEVER), scores) as tf.Tensor2D;
  }
  if (rule.topP !== undefined && rule.topP < 1) scores = nucleus(scores, rule.topP);
  const cumulative = tf.cumsum(tf.softmax(scores), 1) as tf.Tensor2D; // (B, choices)
  // Scaled by the last sum, which is not exactly 1, so that each u below 1 finds a token.
  const total = tf.slice(cumulative, [0, choices - 1], [B, 1]);
  const passed = tf.lessEqual(cumulative, tf.mul(tf.reshape(u, [B, 1]), total));
  return tf.minimum(tf.sum(tf.cast(passed, 'int32'), 1), tf.scalar(choices - 1, 'int32')) as tf.Tensor1D;
}

/** Masks all but the likeliest tokens whose probabilities sum up to at least `share`. (B, V) */
function nucleus(scores: tf.Tensor2D, share: number): tf.Tensor2D {
  const [, V] = scores.shape;
  const sorted = tf.topk(scores, V, true).values as tf.Tensor2D;
  const probabilities = tf.softmax(sorted);
  const before = tf.sub(tf.cumsum(probabilities, 1), probabilities);
  const allowed = tf.where(tf.less(before, share), sorted, tf.fill(sorted.shape, Infinity));
  const least = tf.min(allowed, 1, true);
  return tf.where(tf.less(scores, least), tf.fill(scores.shape, NEVER), scores) as tf.Tensor2D;
}
