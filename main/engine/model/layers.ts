/** Layers in plain tfjs: linear, norms, activations, masks, log-probabilities of tokens. */
import * as tf from '@tensorflow/tfjs';
import type { Adapter } from '../../../shared/architectures/adapters.js';
import type { Affine } from '../../../shared/architectures/index.js';
import type { Cache } from './architecture.js';

/** x Wᵀ + b on the last axis, and the adapter's part. x: (…, in) */
export const linear = (layer: Affine<tf.Tensor>, x: tf.Tensor): tf.Tensor => completed(layer, product(layer, x), x);

/** The matrix product. x: (…, in); result: (rows, out) */
export function product({ weight, columns }: Affine<tf.Tensor>, x: tf.Tensor): tf.Tensor {
  const rows = asRows(weight, x);
  return columns ? tf.matMul(rows, columns) : tf.matMul(rows, weight, false, true);
}

/** Adds adapter and bias to the matrix product. plain: (rows, out), x: (…, in); result: (…, out) */
export function completed({ weight, bias, adapter }: Affine<tf.Tensor>, plain: tf.Tensor, x: tf.Tensor): tf.Tensor {
  const sum = adapter ? tf.add(plain, adapted(adapter, asRows(weight, x))) : plain;
  return tf.reshape(bias ? tf.add(sum, bias) : sum, [...x.shape.slice(0, -1), weight.shape[0] ?? 0]);
}

const asRows = ({ shape }: tf.Tensor, x: tf.Tensor): tf.Tensor => tf.reshape(x, [-1, shape[1] ?? 0]);

/** (scale · x Aᵀ) Bᵀ. x: (rows, in) */
const adapted = ({ down, up, scale }: Adapter<tf.Tensor>, x: tf.Tensor): tf.Tensor =>
  tf.matMul(tf.mul(tf.matMul(x, down, false, true), scale), up, false, true);

/** Merges the adapter: W + scale · B A. */
export function mergedLayer({ adapter, ...layer }: Affine<tf.Tensor>): Affine<tf.Tensor> {
  if (!adapter) return layer;
  const { down, up, scale } = adapter;
  return { ...layer, weight: tf.add(layer.weight, tf.mul(tf.matMul(up, down), scale)) };
}

/** Merges the adapter and adds the transposed matrix, for many products of few rows. */
export function turned(layer: Affine<tf.Tensor>): Affine<tf.Tensor> {
  const merged = mergedLayer(layer);
  return { ...merged, columns: tf.transpose(merged.weight) };
}

/** [0, …, position, …, 0] as the start of a slice, with `position` on `axis`. */
export const startAt = (position: tf.Tensor, rank: number, axis: number): tf.Tensor1D =>
  tf.stack(Array.from({ length: rank }, (_, i) => (i === axis ? position : tf.scalar(0, 'int32')))) as tf.Tensor1D;

/** PyTorch's default. */
const LAYER_NORM_EPSILON = 1e-5;

/** Layer norm: (x − mean) / √(variance + ε) · scale + shift over the last axis (Ba et al. 2016). */
export function layerNorm({ weight: scale, bias: shift }: Affine<tf.Tensor>, x: tf.Tensor): tf.Tensor {
  const centred = tf.sub(x, tf.mean(x, -1, true));
  const variance = tf.mean(tf.square(centred), -1, true);
  const scaled = tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, LAYER_NORM_EPSILON))), scale);
  return shift ? tf.add(scaled, shift) : scaled;
}

/** x / √(mean of x² + ε) over the last axis (Zhang & Sennrich 2019). */
export const unitRms = (x: tf.Tensor, epsilon: number): tf.Tensor =>
  tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), epsilon)));

/** `unitRms` with the layer's scale. */
export const rmsNorm = ({ weight }: Affine<tf.Tensor>, x: tf.Tensor, epsilon: number): tf.Tensor =>
  tf.mul(unitRms(x, epsilon), weight);

/** x · σ(x) (Elfwing et al. 2017). */
export const silu = (x: tf.Tensor): tf.Tensor => tf.mul(x, tf.sigmoid(x));

/** max(x, 0)² (So et al. 2021). */
export const squaredRelu = (x: tf.Tensor): tf.Tensor => tf.square(tf.relu(x));

/** Bounds logits by cap · tanh(x / cap) (Gemma 2, 2024). */
export const capped = (scores: tf.Tensor, cap: number | null): tf.Tensor =>
  cap === null ? scores : tf.mul(tf.tanh(tf.div(scores, cap)), cap);

/** 0 for visible positions, −∞ for others. (T, T) */
export function causalMask(T: number): tf.Tensor {
  const mask = new Float32Array(T * T);
  for (let row = 0; row < T; row++) mask.fill(-Infinity, row * T + row + 1, (row + 1) * T);
  return tf.tensor2d(mask, [T, T]);
}

/** Masks keys after the position. (1, 1, 1, L) */
export function pastMask({ position, layers: [first] }: Cache): tf.Tensor {
  const L = first?.keys.shape[2] ?? 0;
  const future = tf.cast(tf.greater(tf.range(0, L, 1, 'int32'), position), 'float32');
  return tf.reshape(tf.mul(future, -1e30), [1, 1, 1, L]);
}

/** x · Φ(x), exact (Hendrycks & Gimpel 2016). */
export function gelu(x: tf.Tensor): tf.Tensor {
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
}

/** log p of each label. logits: (…, V), labels: (…) int32; result: (…). */
export function tokenLogProbs(logits: tf.Tensor, labels: tf.Tensor): tf.Tensor {
  const V = logits.shape[logits.shape.length - 1] ?? 0;
  const picked = tf.sum(tf.mul(logits, tf.oneHot(tf.cast(labels, 'int32'), V)), -1);
  return tf.sub(picked, tf.logSumExp(logits, -1));
}

/** Entropy of each distribution over the vocabulary, in nats. logits: (…, V); result: (…). */
export function tokenEntropies(logits: tf.Tensor): tf.Tensor {
  const logs = tf.logSoftmax(logits);
  return tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), -1));
}

/** Mean cross-entropy in nats. logits: (…, V), labels: (…) int32; result: scalar. */
export function crossEntropy(logits: tf.Tensor, labels: tf.Tensor): tf.Scalar {
  return tf.neg(tf.mean(tokenLogProbs(logits, labels)));
}
