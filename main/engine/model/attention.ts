/**
 * Attention with rotary positions: heads of queries share keys and values (Ainslie et al. 2023), over whole passages or, with a
 * cache, for one more token. Shapes as in architecture.ts; G heads of keys and values, R = H/G heads of queries for each.
 */
import * as tf from '@tensorflow/tfjs';
import type { HeadCounts } from '../../../shared/architectures/decoder.js';
import type { Affine, Siblings } from '../../../shared/architectures/index.js';
import { dynamicUpdateSlice } from '../runtime/ops.js';
import type { Given, KeysValues } from './architecture.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { causalMask, linear, mergedLayer, pastMask, startAt, turned } from './layers.js';
import { anglesAt, anglesOf, rotate, type Angles, type Rotary } from './rotary.js';

/** Inputs of attention that all blocks share. */
export interface View {
  readonly angles: Angles;
  /** Added to scores (…, T, L): 0 for visible positions, far below any score for others. */
  readonly mask: tf.Tensor;
  readonly noise?: DropoutNoise | undefined;
  /** The position of the only token, with a cache. */
  readonly position?: tf.Tensor;
}

/** The view of passages of T tokens, or of one token with a cache. */
export function viewOf(rotary: Rotary, T: number, { noise, cache }: Given = {}): View {
  if (!cache) return { angles: anglesOf(rotary, T), mask: causalMask(T), noise };
  const { position, layers } = cache;
  return { angles: anglesAt(rotary, layers[0]?.keys.shape[2] ?? 0, position), mask: pastMask(cache), position };
}

interface Attention {
  readonly heads: HeadCounts;
  readonly dropout: number;
  /** Norms queries or keys (…, D). */
  readonly norm: (heads: tf.Tensor, of: 'q' | 'k') => tf.Tensor;
}

/** Causal self-attention. @param projected queries (B, T, H D), keys and values (B, T, G D). @param past (B, G, L, D) each */
export function attention(
  { heads: { H, G, R, D }, dropout: rate, norm }: Attention,
  o_proj: Affine<tf.Tensor>,
  [projectedQ, projectedK, projectedV]: readonly tf.Tensor[],
  { angles, mask, noise, position }: View,
  past?: KeysValues,
): { readonly mixed: tf.Tensor; readonly layer: KeysValues } {
  if (!projectedQ || !projectedK || !projectedV) throw new Error('attention has queries, keys and values');
  const [B = 0, T = 0] = projectedQ.shape;
  const q = rotate(norm(tf.reshape(projectedQ, [B, T, G, R, D]), 'q'), angles);
  const k = tf.transpose(rotate(norm(tf.reshape(projectedK, [B, T, G, D]), 'k'), angles), [0, 2, 1, 3]); // (B, G, T, D)
  const v = tf.transpose(tf.reshape(projectedV, [B, T, G, D]), [0, 2, 1, 3]);
  const layer = past && position ? written(past, { keys: k, values: v }, position) : { keys: k, values: v };
  const L = layer.keys.shape[2] ?? 0;

  // Queries that share keys are rows of one product.
  const rows = tf.reshape(tf.transpose(q, [0, 2, 3, 1, 4]), [B, G, R * T, D]);
  const scores = tf.mul(tf.matMul(rows, layer.keys, false, true), 1 / Math.sqrt(D));
  const seen = dropout(tf.softmax(tf.add(tf.reshape(scores, [B, G, R, T, L]), mask)), rate, noise);
  const mixed = tf.matMul(tf.reshape(seen, [B, G, R * T, L]), layer.values); // (B, G, R T, D)
  const joined = tf.transpose(tf.reshape(mixed, [B, G, R, T, D]), [0, 3, 1, 2, 4]);
  return { mixed: dropout(linear(o_proj, tf.reshape(joined, [B, T, H * D])), rate, noise), layer };
}

/** Writes a token's keys and values into the cache. */
function written(past: KeysValues, { keys, values }: KeysValues, position: tf.Tensor): KeysValues {
  const start = startAt(position, 4, 2);
  return { keys: dynamicUpdateSlice(past.keys, keys, start), values: dynamicUpdateSlice(past.values, values, start) };
}

/** A cache of zeros; see Architecture. */
export function emptyKeysValues(
  { G, D }: Pick<HeadCounts, 'G' | 'D'>,
  layers: number,
  rows: number,
  length: number,
): KeysValues[] {
  const empty = () => tf.zeros([rows, G, length, D]);
  return Array.from({ length: layers }, () => ({ keys: empty(), values: empty() }));
}

/** Applies each layer to x. (…, C) */
export function outputs({ each, joined }: Siblings<tf.Tensor>, x: tf.Tensor): tf.Tensor[] {
  if (!joined) return each.map((layer) => linear(layer, x));
  const sizes = each.map(({ weight }) => weight.shape[0] ?? 0);
  return tf.split(linear(joined, x), sizes, x.rank - 1);
}

/** Joins layers of one input, transposed once (see gpt2.ts). */
export function joinedOnce({ each }: Siblings<tf.Tensor>): Siblings<tf.Tensor> {
  if (each.length === 1) return { each: each.map(turned) };
  const biases = each.flatMap(({ bias }) => bias ?? []);
  const weight = tf.concat(
    each.map((layer) => mergedLayer(layer).weight),
    0,
  );
  return { each, joined: turned({ weight, ...(biases.length > 0 ? { bias: tf.concat(biases, 0) } : {}) }) };
}
