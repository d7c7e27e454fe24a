/**
 * How one token is drawn from scores. One uniform number decides it (inverse of the cumulative distribution), so a
 * token is a function of its scores and its place in the counter-based noise, whatever the batch around it.
 */
import * as tf from '@tensorflow/tfjs';

export interface SamplingRule {
  readonly temperature: number;
  /** Only the k likeliest tokens can be drawn; null for all. */
  readonly topK: number | null;
  /** Only the likeliest tokens that together have this share of the probability (Holtzman et al. 2020); left out: all. */
  readonly topP?: number;
  /** Ids from here on are never drawn: the model may have more outputs than the tokenizer has tokens. */
  readonly vocabLimit: number;
}

/** Far below any score, yet finite: −∞ would make NaN where it meets another −∞. */
const NEVER = -1e30;

/**
 * Draws a token for each row. logits: (B, V), u: (B) in [0, 1); result: (B) int32.
 * Ties at the k-th score are all kept.
 */
export function sampleTokens(
  logits: tf.Tensor2D,
  u: tf.Tensor1D,
  rule: Omit<SamplingRule, 'temperature'> & { readonly temperature: number | tf.Tensor },
): tf.Tensor1D {
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
  // Scaled by the last sum, which rounding leaves a little off 1: u below 1 then always finds a token.
  const total = tf.slice(cumulative, [0, choices - 1], [B, 1]);
  const passed = tf.lessEqual(cumulative, tf.mul(tf.reshape(u, [B, 1]), total));
  return tf.minimum(tf.sum(tf.cast(passed, 'int32'), 1), tf.scalar(choices - 1, 'int32')) as tf.Tensor1D;
}

/** Scores of the likeliest tokens until their probabilities come to `share`, the one that reaches it included. (B, V) */
function nucleus(scores: tf.Tensor2D, share: number): tf.Tensor2D {
  const [, V] = scores.shape;
  const sorted = tf.topk(scores, V, true).values as tf.Tensor2D;
  const probabilities = tf.softmax(sorted);
  const before = tf.sub(tf.cumsum(probabilities, 1), probabilities);
  // Of those that are kept the least; a score that is not finite is nobody's least.
  const kept = tf.where(tf.less(before, share), sorted, tf.fill(sorted.shape, Infinity));
  const least = tf.min(kept, 1, true);
  return tf.where(tf.less(scores, least), tf.fill(scores.shape, NEVER), scores) as tf.Tensor2D;
}
