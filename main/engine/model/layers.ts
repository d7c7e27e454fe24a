/**
 * The layers that tfjs lacks or spells differently: layer norm, exact GELU, and the log-probability of given tokens.
 * Each is plain tfjs with its derivative left to tfjs, so that it runs on every backend.
 */
import * as tf from '@tensorflow/tfjs';

/** A layer's scale and shift, or matrix [out, in] and bias; `columns` is the matrix transposed, where that was worth it. */
export interface Affine<Leaf> {
  readonly weight: Leaf;
  readonly bias?: Leaf;
  readonly columns?: Leaf;
}

/** x W^T + b on the last axis. x: (…, in) */
export function linear({ weight, bias, columns }: Affine<tf.Tensor>, x: tf.Tensor): tf.Tensor {
  const [out = 0, inputs = 0] = weight.shape;
  const rows = tf.reshape(x, [-1, inputs]);
  const product = columns ? tf.matMul(rows, columns) : tf.matMul(rows, weight, false, true);
  return tf.reshape(bias ? tf.add(product, bias) : product, [...x.shape.slice(0, -1), out]);
}

/** Layer norm with the layer's own scale and shift. */
export const norm = ({ weight, bias }: Affine<tf.Tensor>, x: tf.Tensor): tf.Tensor => layerNorm(x, weight, bias);

/** [0, …, position, …, 0] as the start of a slice, with `position` on `axis`. */
export const startAt = (position: tf.Tensor, rank: number, axis: number): tf.Tensor1D =>
  tf.stack(Array.from({ length: rank }, (_, i) => (i === axis ? position : tf.scalar(0, 'int32')))) as tf.Tensor1D;

/** PyTorch's default. */
const LAYER_NORM_EPSILON = 1e-5;

/** (x − mean) / √(variance + ε) · scale + shift over the last axis (Ba et al. 2016). */
export function layerNorm(x: tf.Tensor, scale: tf.Tensor, shift?: tf.Tensor): tf.Tensor {
  const centred = tf.sub(x, tf.mean(x, -1, true));
  const variance = tf.mean(tf.square(centred), -1, true);
  const scaled = tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, LAYER_NORM_EPSILON))), scale);
  return shift ? tf.add(scaled, shift) : scaled;
}

/** x · Φ(x) with the exact normal distribution function (Hendrycks & Gimpel 2016), not the tanh approximation. */
export function gelu(x: tf.Tensor): tf.Tensor {
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
}

/** log p of each label. logits: (…, V), labels: (…) int32; result: (…). */
export function tokenLogProbs(logits: tf.Tensor, labels: tf.Tensor): tf.Tensor {
  const V = logits.shape[logits.shape.length - 1] ?? 0;
  const picked = tf.sum(tf.mul(logits, tf.oneHot(tf.cast(labels, 'int32'), V)), -1);
  return tf.sub(picked, tf.logSumExp(logits, -1));
}

/** Mean cross-entropy in nats. logits: (…, V), labels: (…) int32; result: scalar. */
export function crossEntropy(logits: tf.Tensor, labels: tf.Tensor): tf.Scalar {
  return tf.neg(tf.mean(tokenLogProbs(logits, labels)));
}
