/**
 * Attention with rotary positions, for the architectures that have them: heads of queries that share keys and values
 * (Ainslie et al. 2023), over whole passages or, with a cache, of one token more. How queries and keys are normed is each
 * architecture's own.
 *
 * Shapes as in architecture.ts; G heads of keys and values, R = H/G heads of queries for each.
 */
import * as tf from '@tensorflow/tfjs';
import type { HeadCounts } from '../../../shared/architectures/decoder.js';
import type { Affine, Siblings } from '../../../shared/architectures/index.js';
import { dynamicUpdateSlice } from '../runtime/ops.js';
import type { Given, KeysValues } from './architecture.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { causalMask, linear, mergedLayer, pastMask, startAt, turned } from './layers.js';
import { anglesAt, anglesOf, rotate, type Angles, type Rotary } from './rotary.js';

/** What attention looks at besides its input. */
export interface View {
  readonly angles: Angles;
  /** Added to scores (…, T, L): 0 where a position may look, far below any score where it may not. */
  readonly mask: tf.Tensor;
  readonly noise?: DropoutNoise | undefined;
  /** The place of the one token that is given; keys and values before it are kept. */
  readonly position?: tf.Tensor;
}

/** The view of whole passages of T tokens; or, with a cache, of the one token at its position. */
export function viewOf(rotary: Rotary, T: number, { noise, cache }: Given = {}): View {
  if (!cache) return { angles: anglesOf(rotary, T), mask: causalMask(T), noise };
  const { position, layers } = cache;
  return { angles: anglesAt(rotary, layers[0]?.keys.shape[2] ?? 0, position), mask: pastMask(cache), position };
}

export interface Attention {
  readonly heads: HeadCounts;
  readonly dropout: number;
  /** Each head's queries or keys (…, D), normed as the architecture has it. */
  readonly norm: (heads: tf.Tensor, whose: 'queries' | 'keys') => tf.Tensor;
}

/**
 * Self-attention: every position sees those up to itself; with a past, one more token sees what was kept, and is kept too.
 * @param projected queries (B, T, H D), keys and values (B, T, G D)
 * @param past keys and values of the tokens before; (B, G, L, D) each
 */
export function attention(
  { heads: { H, G, R, D }, dropout: rate, norm }: Attention,
  o_proj: Affine<tf.Tensor>,
  [projectedQ, projectedK, projectedV]: readonly tf.Tensor[],
  { angles, mask, noise, position }: View,
  past?: KeysValues,
): { readonly mixed: tf.Tensor; readonly layer: KeysValues } {
  if (!projectedQ || !projectedK || !projectedV) throw new Error('attention has queries, keys and values');
  const [B = 0, T = 0] = projectedQ.shape;
  const q = rotate(norm(tf.reshape(projectedQ, [B, T, G, R, D]), 'queries'), angles);
  const k = tf.transpose(rotate(norm(tf.reshape(projectedK, [B, T, G, D]), 'keys'), angles), [0, 2, 1, 3]); // (B, G, T, D)
  const v = tf.transpose(tf.reshape(projectedV, [B, T, G, D]), [0, 2, 1, 3]);
  const layer = past && position ? written(past, { keys: k, values: v }, position) : { keys: k, values: v };
  const L = layer.keys.shape[2] ?? 0;

  // The queries of the heads that share keys are rows of one product: nothing is repeated.
  const rows = tf.reshape(tf.transpose(q, [0, 2, 3, 1, 4]), [B, G, R * T, D]);
  const scores = tf.mul(tf.matMul(rows, layer.keys, false, true), 1 / Math.sqrt(D));
  const seen = dropout(tf.softmax(tf.add(tf.reshape(scores, [B, G, R, T, L]), mask)), rate, noise);
  const mixed = tf.matMul(tf.reshape(seen, [B, G, R * T, L]), layer.values); // (B, G, R T, D)
  const joined = tf.transpose(tf.reshape(mixed, [B, G, R, T, D]), [0, 3, 1, 2, 4]);
  return { mixed: dropout(linear(o_proj, tf.reshape(joined, [B, T, H * D])), rate, noise), layer };
}

/** What was kept, with one more token's. */
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

/** What each layer makes of x. (…, C) */
export function outputs({ each, joined }: Siblings<tf.Tensor>, x: tf.Tensor): tf.Tensor[] {
  if (!joined) return each.map((layer) => linear(layer, x));
  const sizes = each.map(({ weight }) => weight.shape[0] ?? 0);
  return tf.split(linear(joined, x), sizes, x.rank - 1);
}

/** Layers of one input as one, transposed once (see gpt2.ts). */
export function joinedOnce({ each }: Siblings<tf.Tensor>): Siblings<tf.Tensor> {
  const biases = each.flatMap(({ bias }) => bias ?? []);
  const weight = tf.concat(
    each.map((layer) => mergedLayer(layer).weight),
    0,
  );
  return { each, joined: turned({ weight, ...(biases.length > 0 ? { bias: tf.concat(biases, 0) } : {}) }) };
}
