/**
 * Llama's family as Hugging Face has it (Touvron et al. 2023): RMSNorm, rotary positions, a gated feed-forward network
 * (SwiGLU, Shazeer 2020), keys and values that several heads share (Ainslie et al. 2023), and the token embedding or a
 * matrix of its own as the head. Some members add biases to attention (Qwen2) or norm each head's queries and keys
 * (Qwen3). Its parameters are declared in shared/architectures/llama.ts.
 *
 * Shapes as in architecture.ts; G heads of keys and values, R = H/G heads of queries for each.
 */
import * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import {
  llamaTree,
  shapeOf,
  type Block,
  type Shape,
  type Siblings,
  type Trunk,
} from '../../../shared/architectures/llama.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { dynamicSlice, dynamicUpdateSlice } from '../runtime/ops.js';
import type { Architecture, KeysValues, Network, Pass } from './architecture.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { causalMask, linear, mergedLayer, pastMask, rmsNorm, silu, startAt, turned } from './layers.js';
import { parameterOf } from './parameters.js';
import { anglesOf, rotate, type Angles } from './rotary.js';

/** Standard deviation of the family's initial weights. */
const INITIAL_STD = 0.02;

/** What each layer makes of x. (…, C) */
function outputs({ each, joined }: Siblings<tf.Tensor>, x: tf.Tensor): tf.Tensor[] {
  if (!joined) return each.map((layer) => linear(layer, x));
  const sizes = each.map(({ weight }) => weight.shape[0] ?? 0);
  return tf.split(linear(joined, x), sizes, x.rank - 1);
}

/** What attention looks at besides its input. */
interface View {
  readonly angles: Angles;
  /** Added to scores (…, T, L): 0 where a position may look, far below any score where it may not. */
  readonly mask: tf.Tensor;
  readonly noise?: DropoutNoise | undefined;
  /** The place of the one token that is given; keys and values before it are kept. */
  readonly position?: tf.Tensor;
}

/**
 * Self-attention: every position sees those up to itself; with a past, one more token sees what was kept, and is kept too.
 * @param x (B, T, C)
 * @param past keys and values of the tokens before; (B, G, L, D) each
 */
function attention(
  config: GPTConfig,
  { qkv, norms, o_proj }: Block<tf.Tensor>['self_attn'],
  x: tf.Tensor,
  { angles, mask, noise, position }: View,
  past?: KeysValues,
): { readonly mixed: tf.Tensor; readonly layer: KeysValues } {
  const { H, G, R, D, norm_epsilon } = shapeOf(config);
  const [B = 0, T = 0] = x.shape;
  const [projectedQ, projectedK, projectedV] = outputs(qkv, x);
  if (!projectedQ || !projectedK || !projectedV) throw new Error('attention has queries, keys and values');
  const normed = (heads: tf.Tensor, norm: Affine<tf.Tensor> | undefined) =>
    rotate(norm ? rmsNorm(norm, heads, norm_epsilon) : heads, angles);
  const q = normed(tf.reshape(projectedQ, [B, T, G, R, D]), norms?.q);
  const k = tf.transpose(normed(tf.reshape(projectedK, [B, T, G, D]), norms?.k), [0, 2, 1, 3]); // (B, G, T, D)
  const v = tf.transpose(tf.reshape(projectedV, [B, T, G, D]), [0, 2, 1, 3]);
  const layer = past && position ? written(past, { keys: k, values: v }, position) : { keys: k, values: v };
  const L = layer.keys.shape[2] ?? 0;

  // The queries of the heads that share keys are rows of one product: nothing is repeated.
  const rows = tf.reshape(tf.transpose(q, [0, 2, 3, 1, 4]), [B, G, R * T, D]);
  const scores = tf.mul(tf.matMul(rows, layer.keys, false, true), 1 / Math.sqrt(D));
  const seen = dropout(tf.softmax(tf.add(tf.reshape(scores, [B, G, R, T, L]), mask)), config.dropout, noise);
  const mixed = tf.matMul(tf.reshape(seen, [B, G, R * T, L]), layer.values); // (B, G, R T, D)
  const heads = tf.transpose(tf.reshape(mixed, [B, G, R, T, D]), [0, 3, 1, 2, 4]);
  return { mixed: dropout(linear(o_proj, tf.reshape(heads, [B, T, H * D])), config.dropout, noise), layer };
}

/** What was kept, with one more token's. */
function written(past: KeysValues, { keys, values }: KeysValues, position: tf.Tensor): KeysValues {
  const start = startAt(position, 4, 2);
  return { keys: dynamicUpdateSlice(past.keys, keys, start), values: dynamicUpdateSlice(past.values, values, start) };
}

function mlp(config: GPTConfig, { gateUp, down_proj }: Block<tf.Tensor>['mlp'], x: tf.Tensor, noise?: DropoutNoise) {
  const [gate, up] = outputs(gateUp, x);
  if (!gate || !up) throw new Error('a gated network has two layers');
  return dropout(linear(down_proj, tf.mul(silu(gate), up)), config.dropout, noise);
}

/** The forward pass, for training and for writing alike; see Network. */
function forward(
  config: GPTConfig,
  { embed_tokens, layers, norm }: Trunk<tf.Tensor>,
  ids: tf.Tensor,
  { noise, cache }: Parameters<Network['forward']>[1] = {},
): Pass {
  const shape = shapeOf(config);
  const [B = 0, T = 1] = ids.shape;
  const view: View = cache
    ? {
        angles: anglesAt(shape, cache.layers[0]?.keys.shape[2] ?? 0, cache.position),
        mask: pastMask(cache),
        position: cache.position,
      }
    : { angles: anglesOf(shape, T), mask: causalMask(T), noise };
  const embedded = tf.gather(embed_tokens.weight, (cache ? tf.reshape(ids, [B, 1]) : ids) as tf.Tensor2D);
  let x = dropout(embedded, config.dropout, noise);
  const kept = layers.map((block, i): KeysValues => {
    const before = rmsNorm(block.input_layernorm, x, shape.norm_epsilon);
    const { mixed, layer } = attention(config, block.self_attn, before, view, cache?.layers[i]);
    x = tf.add(x, mixed);
    x = tf.add(x, mlp(config, block.mlp, rmsNorm(block.post_attention_layernorm, x, shape.norm_epsilon), noise));
    return layer;
  });
  const hidden = rmsNorm(norm, x, shape.norm_epsilon);
  return { hidden: cache ? tf.reshape(hidden, [B, config.n_embd]) : hidden, layers: kept };
}

/** The angles of one position of those below L. */
function anglesAt(shape: Shape, L: number, position: tf.Tensor): Angles {
  const { cos, sin } = anglesOf(shape, L);
  const at = (table: tf.Tensor) => dynamicSlice(table, startAt(position, 2, 0), [1, shape.D / 2]);
  return { cos: at(cos), sin: at(sin) };
}

export const llama: Architecture = {
  // As GPT-2's: each block adds to the residual stream twice, whose size is to be independent of depth.
  initialStd: ({ n_layer }, name) =>
    /\.(o_proj|down_proj)\.weight$/.test(name) ? INITIAL_STD / Math.sqrt(2 * n_layer) : INITIAL_STD,

  network(config, parameters, manyCalls = false) {
    const tree = llamaTree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const trunk = manyCalls ? joinOnce(tree) : tree;
    const head = trunk.lm_head ?? trunk.embed_tokens;
    return {
      forward: (ids, given) => forward(config, trunk, ids, given),
      logits: (hidden) => linear(head, hidden),
      head,
    };
  },

  emptyLayers(config, rows, length) {
    const { G, D } = shapeOf(config);
    const empty = () => tf.zeros([rows, G, length, D]);
    return Array.from({ length: config.n_layer }, () => ({ keys: empty(), values: empty() }));
  },
};

/** Every matrix that tokens are multiplied with, transposed once (see gpt2.ts), those of one input as one. */
function joinOnce(trunk: Trunk<tf.Tensor>): Trunk<tf.Tensor> {
  const joined = ({ each }: Siblings<tf.Tensor>): Siblings<tf.Tensor> => {
    const biases = each.flatMap(({ bias }) => bias ?? []);
    const weight = tf.concat(
      each.map((layer) => mergedLayer(layer).weight),
      0,
    );
    return { each, joined: turned({ weight, ...(biases.length > 0 ? { bias: tf.concat(biases, 0) } : {}) }) };
  };
  return {
    ...(trunk.lm_head
      ? { embed_tokens: trunk.embed_tokens, lm_head: turned(trunk.lm_head) }
      : { embed_tokens: turned(trunk.embed_tokens) }),
    norm: trunk.norm,
    layers: trunk.layers.map(({ self_attn, mlp: { gateUp, down_proj }, ...norms }) => ({
      ...norms,
      self_attn: { ...self_attn, qkv: joined(self_attn.qkv), o_proj: turned(self_attn.o_proj) },
      mlp: { gateUp: joined(gateUp), down_proj: turned(down_proj) },
    })),
  };
}
