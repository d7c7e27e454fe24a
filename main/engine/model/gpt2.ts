/**
 * GPT-2 as in nanoGPT (Radford et al. 2019): token and position embeddings, pre-norm blocks of attention and a GELU network, a last
 * layer norm, and the token embedding as the head. Parameters are declared in shared/architectures/gpt2.ts. Shapes as in
 * architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { gpt2Tree, type Block, type Trunk } from '../../../shared/architectures/gpt2.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { segmentFrom } from '../runtime/control-flow.js';
import { dynamicSlice, dynamicUpdateSlice } from '../runtime/ops.js';
import type { Architecture, Given, KeysValues, Pass } from './architecture.js';
import { emptyKeysValues } from './attention.js';
import { dropout, partsOf, type DropoutNoise } from './dropout.js';
import { causalMask, gelu, layerNorm, linear, pastMask, startAt, turned } from './layers.js';
import { parameterOf } from './parameters.js';

/** Standard deviation of GPT-2's initial weights. */
const INITIAL_STD = 0.02;

/** softmax(q kᵀ / √D + mask) v. q: (B, H, T, D); k, v: (B, H, L, D); result: (B, H, T, D). */
function attend(q: tf.Tensor, { keys, values }: KeysValues, mask: tf.Tensor, rate: number, noise?: DropoutNoise) {
  const scores = tf.mul(tf.matMul(q, keys, false, true), 1 / Math.sqrt(q.shape[3] ?? 1)); // (B, H, T, L)
  return tf.matMul(dropout(tf.softmax(tf.add(scores, mask)), rate, noise), values);
}

/** Halves a batch of even size: XLA computes the small products of a half on one thread, and so both halves in parallel. */
const halves = (x: tf.Tensor): tf.Tensor[] => (partsOf(x.shape[0] ?? 0) === 2 ? tf.split(x, 2, 0) : [x]);

/** Causal self-attention of whole passages. @param projected (B, T, 3C). @param mask see View of attention.ts */
function attendWithin(config: GPTConfig, projected: tf.Tensor, mask: tf.Tensor, noise?: DropoutNoise) {
  const { n_embd: C, n_head: H, dropout: rate } = config;
  const [B = 0, T = 0] = projected.shape;
  const heads = tf.transpose(tf.reshape(projected, [B, T, 3, H, C / H]), [2, 0, 3, 1, 4]);
  const [q, keys, values] = tf.unstack(heads, 0); // each (B, H, T, D)
  if (!q || !keys || !values) throw new Error('attention has queries, keys and values');
  const [ofKeys, ofValues] = [halves(keys), halves(values)];
  const ofQueries = halves(q);
  const noises = noise?.inParts?.(ofQueries.length);
  const mixed = ofQueries.map((half, i) => {
    const seen = { keys: ofKeys[i] ?? keys, values: ofValues[i] ?? values };
    const attended = attend(half, seen, mask, rate, noises?.[i] ?? noise);
    return tf.reshape(tf.transpose(attended, [0, 2, 1, 3]), [half.shape[0] ?? 0, T, C]);
  });
  return { mixed: tf.concat(mixed, 0), layer: { keys, values } };
}

/** Attention of one token each, whose heads are in order, so nothing is transposed. @param projected (B, 3C) */
function attendToPast(
  config: GPTConfig,
  projected: tf.Tensor,
  mask: tf.Tensor,
  position: tf.Tensor,
  layer: KeysValues,
) {
  const { n_embd: C, n_head: H } = config;
  const [B = 0] = projected.shape;
  const [q, k, v] = tf.split(projected, 3, 1).map((part) => tf.reshape(part, [B, H, 1, C / H]));
  if (!q || !k || !v) throw new Error('attention has queries, keys and values');
  const keys = dynamicUpdateSlice(layer.keys, k, startAt(position, 4, 2)); // (B, H, L, D)
  const values = dynamicUpdateSlice(layer.values, v, startAt(position, 4, 2));
  return { mixed: tf.reshape(attend(q, { keys, values }, mask, 0), [B, C]), layer: { keys, values } };
}

function mlp(config: GPTConfig, parameters: Block<tf.Tensor>['mlp'], x: tf.Tensor, noise?: DropoutNoise): tf.Tensor {
  return dropout(linear(parameters.c_proj, gelu(linear(parameters.c_fc, x))), config.dropout, noise);
}

/** The forward pass, for training and generation alike; see Network. */
function forward(
  config: GPTConfig,
  { wte, wpe, h, ln_f }: Trunk<tf.Tensor>,
  ids: tf.Tensor,
  { noise, cache }: Given = {},
): Pass {
  const { n_embd: C, dropout: rate } = config;
  const [, T = 0] = ids.shape;
  const positions = cache
    ? dynamicSlice(wpe.weight, startAt(cache.position, 2, 0), [1, C])
    : tf.slice(wpe.weight, [0, 0], [T, C]);
  const mask = cache ? pastMask(cache) : causalMask(T);
  let x = dropout(tf.add(tf.gather(wte.weight, ids as tf.Tensor2D), positions), rate, noise);
  const layers = h.map((block, i): KeysValues => {
    x = segmentFrom(x);
    const projected = linear(block.attn.c_attn, layerNorm(block.ln_1, x));
    const past = cache?.layers[i];
    const { mixed, layer } =
      cache && past
        ? attendToPast(config, projected, mask, cache.position, past)
        : attendWithin(config, projected, mask, noise);
    x = tf.add(x, dropout(linear(block.attn.c_proj, mixed), rate, noise));
    x = tf.add(x, mlp(config, block.mlp, layerNorm(block.ln_2, x), noise));
    return layer;
  });
  return { hidden: layerNorm(ln_f, segmentFrom(x)), layers };
}

export const gpt2: Architecture = {
  // Each block adds to the residual stream twice; scaling keeps its size independent of depth (GPT-2, section 2.3).
  initialStd: ({ n_layer }, name) =>
    name.endsWith('c_proj.weight') ? INITIAL_STD / Math.sqrt(2 * n_layer) : INITIAL_STD,

  network(config, parameters, manyCalls = false) {
    const tree = gpt2Tree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const trunk = manyCalls ? transposeOnce(tree) : tree;
    return {
      forward: (ids, given) => forward(config, trunk, ids, given),
      logits: (hidden) => linear(trunk.wte, hidden),
      head: trunk.wte,
    };
  },

  emptyLayers: ({ n_embd, n_head, n_layer }, rows, length) =>
    emptyKeysValues({ G: n_head, D: n_embd / n_head }, n_layer, rows, length),
};

/** Transposes once each matrix that tokens are multiplied with; for each token it would take a fifth of the time. */
function transposeOnce(trunk: Trunk<tf.Tensor>): Trunk<tf.Tensor> {
  return {
    ...trunk,
    wte: turned(trunk.wte),
    h: trunk.h.map(({ attn, mlp: { c_fc, c_proj }, ...norms }) => ({
      ...norms,
      attn: { c_attn: turned(attn.c_attn), c_proj: turned(attn.c_proj) },
      mlp: { c_fc: turned(c_fc), c_proj: turned(c_proj) },
    })),
  };
}
