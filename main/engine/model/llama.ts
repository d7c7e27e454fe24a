/**
 * Llama's family as Hugging Face has it (Touvron et al. 2023): RMSNorm, rotary positions, a gated feed-forward network
 * (SwiGLU, Shazeer 2020), keys and values that several heads share (Ainslie et al. 2023), and the token embedding or a
 * matrix of its own as the head. Some members add biases to attention (Qwen2) or norm each head's queries and keys
 * (Qwen3). Its parameters are declared in shared/architectures/llama.ts.
 *
 * Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import { llamaTree, shapeOf, type Block, type Trunk } from '../../../shared/architectures/llama.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Architecture, Given, KeysValues, Pass } from './architecture.js';
import { attention, emptyKeysValues, joinedOnce, outputs, viewOf, type Attention, type View } from './attention.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { linear, rmsNorm, silu, turned } from './layers.js';
import { parameterOf } from './parameters.js';
import { segmentFrom } from '../runtime/control-flow.js';
import { branch, type Branch, type BranchOptions } from './recompute.js';

/** Standard deviation of the family's initial weights. */
const INITIAL_STD = 0.02;

type Attends = Block<tf.Tensor>['self_attn'];

/** How attention norms its heads. */
const headsOf = (config: GPTConfig, norms: Attends['norms']): Attention => {
  const shape = shapeOf(config);
  return {
    heads: shape,
    dropout: config.dropout,
    norm: (heads, whose) =>
      norms ? rmsNorm(whose === 'queries' ? norms.q : norms.k, heads, shape.norm_epsilon) : heads,
  };
};

/** The rest of the feed-forward network. @param projected gate and what it lets through, (B, T, n_inner) each */
function gated(
  { dropout: rate }: GPTConfig,
  down_proj: Affine<tf.Tensor>,
  [gate, up]: readonly tf.Tensor[],
  noise?: DropoutNoise,
): tf.Tensor {
  if (!gate || !up) throw new Error('a gated network has two layers');
  return dropout(linear(down_proj, tf.mul(silu(gate), up)), rate, noise);
}

/** x after a block over whole passages, of which the backward pass keeps little. */
function lightBlock(
  config: GPTConfig,
  { input_layernorm, self_attn: { qkv, norms, o_proj }, post_attention_layernorm, mlp }: Block<tf.Tensor>,
  x: tf.Tensor,
  { angles, mask }: View,
  options: BranchOptions,
): tf.Tensor {
  const normed = (norm: Affine<tf.Tensor>, input: tf.Tensor) => rmsNorm(norm, input, shapeOf(config).norm_epsilon);
  const attended: Branch<Affine<tf.Tensor>, Pick<Attends, 'norms' | 'o_proj'>, Pick<View, 'angles' | 'mask'>> = {
    norm: input_layernorm,
    normed,
    layers: qkv.each,
    own: norms ? { norms, o_proj } : { o_proj },
    given: { angles, mask },
    sites: 2,
    mix: (projected, { norms, o_proj }, given, noise) =>
      attention(headsOf(config, norms), o_proj, projected, { ...given, noise }).mixed,
  };
  const between = tf.add(x, branch(x, attended, options));
  const fed: Branch<Affine<tf.Tensor>, Affine<tf.Tensor>, undefined> = {
    norm: post_attention_layernorm,
    normed,
    layers: mlp.gateUp.each,
    own: mlp.down_proj,
    given: undefined,
    sites: 1,
    mix: (projected, down_proj, _, noise) => gated(config, down_proj, projected, noise),
  };
  return tf.add(between, branch(between, fed, options));
}

/** The forward pass, for training and for writing alike; see Network. */
function forward(
  config: GPTConfig,
  { embed_tokens, layers, norm }: Trunk<tf.Tensor>,
  ids: tf.Tensor,
  given: Given = {},
): Pass {
  const shape = shapeOf(config);
  const { noise, cache, recomputation } = given;
  const light = recomputation && { recomputation, noise: config.dropout > 0 ? noise : undefined };
  const [B = 0, T = 1] = ids.shape;
  const view = viewOf(shape, T, given);
  const embedded = tf.gather(embed_tokens.weight, (cache ? tf.reshape(ids, [B, 1]) : ids) as tf.Tensor2D);
  let x = dropout(embedded, config.dropout, noise);
  const kept = layers.flatMap((block, i): KeysValues[] => {
    x = segmentFrom(x);
    if (light && !cache) {
      x = lightBlock(config, block, x, view, light);
      return [];
    }
    const { norms, qkv, o_proj } = block.self_attn;
    const seen = outputs(qkv, rmsNorm(block.input_layernorm, x, shape.norm_epsilon));
    const { mixed, layer } = attention(headsOf(config, norms), o_proj, seen, view, cache?.layers[i]);
    x = tf.add(x, mixed);
    const inner = outputs(block.mlp.gateUp, rmsNorm(block.post_attention_layernorm, x, shape.norm_epsilon));
    x = tf.add(x, gated(config, block.mlp.down_proj, inner, noise));
    return [layer];
  });
  const hidden = rmsNorm(norm, segmentFrom(x), shape.norm_epsilon);
  return { hidden: cache ? tf.reshape(hidden, [B, config.n_embd]) : hidden, layers: kept };
}

export const llama: Architecture = {
  // As GPT-2's: each block adds to the residual stream twice, whose size is to be independent of depth.
  initialStd: ({ n_layer }, name) =>
    /\.(o_proj|down_proj)\.weight$/.test(name) ? INITIAL_STD / Math.sqrt(2 * n_layer) : INITIAL_STD,

  network(config, parameters, manyCalls = false) {
    const tree = llamaTree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const trunk = manyCalls ? transposeOnce(tree) : tree;
    const head = trunk.lm_head ?? trunk.embed_tokens;
    return {
      forward: (ids, given) => forward(config, trunk, ids, given),
      logits: (hidden) => linear(head, hidden),
      head,
    };
  },

  emptyLayers: (config, rows, length) => emptyKeysValues(shapeOf(config), config.n_layer, rows, length),
};

/** Every matrix that tokens are multiplied with, transposed once (see gpt2.ts), those of one input as one. */
function transposeOnce(trunk: Trunk<tf.Tensor>): Trunk<tf.Tensor> {
  return {
    ...(trunk.lm_head
      ? { embed_tokens: trunk.embed_tokens, lm_head: turned(trunk.lm_head) }
      : { embed_tokens: turned(trunk.embed_tokens) }),
    norm: trunk.norm,
    layers: trunk.layers.map(({ self_attn, mlp: { gateUp, down_proj }, ...norms }) => ({
      ...norms,
      self_attn: { ...self_attn, qkv: joinedOnce(self_attn.qkv), o_proj: turned(self_attn.o_proj) },
      mlp: { gateUp: joinedOnce(gateUp), down_proj: turned(down_proj) },
    })),
  };
}
