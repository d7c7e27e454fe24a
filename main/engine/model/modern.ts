/**
 * What years of speedruns have made of GPT-2 (Jordan et al., modded-nanogpt; Karpathy, nanochat), in the form that
 * transformers has as `NanoChatForCausalLM`: rotary positions, RMSNorm without weights, also right after the embedding, normed
 * queries and keys (Henry et al. 2020), the square of ReLU (So et al. 2021), no biases, output projections that begin as zeros,
 * and bounded scores (Gemma 2). Its parameters are declared in shared/architectures/modern.ts.
 *
 * Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { embeddingName } from '../../../shared/architectures/decoder.js';
import type { Affine } from '../../../shared/architectures/index.js';
import { modernTree, shapeOf, type Block, type Trunk } from '../../../shared/architectures/modern.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Architecture, Given, KeysValues, Pass } from './architecture.js';
import { attention, emptyKeysValues, joinedOnce, outputs, viewOf, type Attention, type View } from './attention.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { capped, linear, squaredRelu, turned, unitRms } from './layers.js';
import { parameterOf } from './parameters.js';
import { segmentFrom } from '../runtime/control-flow.js';
import { branch, type Branch, type BranchOptions } from './recompute.js';

/** The rest of the feed-forward network. @param projected (B, T, inner) */
function squared(
  { dropout: rate }: GPTConfig,
  fc2: Affine<tf.Tensor>,
  [inner]: readonly tf.Tensor[],
  noise?: DropoutNoise,
): tf.Tensor {
  if (!inner) throw new Error('a feed-forward network has an inner layer');
  return dropout(linear(fc2, squaredRelu(inner)), rate, noise);
}

/** x after a block over whole passages, of which the backward pass keeps little. */
function lightBlock(
  config: GPTConfig,
  how: Attention,
  { self_attn: { qkv, o_proj }, mlp: { fc1, fc2 } }: Block<tf.Tensor>,
  x: tf.Tensor,
  { angles, mask }: View,
  options: BranchOptions,
): tf.Tensor {
  const norms = {
    norm: undefined,
    normed: (_: undefined, input: tf.Tensor) => unitRms(input, shapeOf(config).norm_epsilon),
  };
  const attended: Branch<undefined, Affine<tf.Tensor>, Pick<View, 'angles' | 'mask'>> = {
    ...norms,
    layers: qkv.each,
    own: o_proj,
    given: { angles, mask },
    sites: 2,
    mix: (projected, o_proj, given, noise) => attention(how, o_proj, projected, { ...given, noise }).mixed,
  };
  const between = tf.add(x, branch(x, attended, options));
  const fed: Branch<undefined, Affine<tf.Tensor>, undefined> = {
    ...norms,
    layers: [fc1],
    own: fc2,
    given: undefined,
    sites: 1,
    mix: (projected, fc2, _, noise) => squared(config, fc2, projected, noise),
  };
  return tf.add(between, branch(between, fed, options));
}

/** The forward pass, for training and for writing alike; see Network. */
function forward(
  config: GPTConfig,
  { embed_tokens, layers }: Trunk<tf.Tensor>,
  ids: tf.Tensor,
  given: Given = {},
): Pass {
  const shape = shapeOf(config);
  const { noise, cache, recomputation } = given;
  const light = recomputation && { recomputation, noise: config.dropout > 0 ? noise : undefined };
  const [B = 0, T = 1] = ids.shape;
  const norm = (x: tf.Tensor) => unitRms(x, shape.norm_epsilon);
  // transformers' NanoChat turns the other way round than its Llama.
  const view = viewOf({ ...shape, isClockwise: true }, T, given);
  const embedded = tf.gather(embed_tokens.weight, (cache ? tf.reshape(ids, [B, 1]) : ids) as tf.Tensor2D);
  let x = dropout(norm(embedded), config.dropout, noise);
  const how = { heads: shape, dropout: config.dropout, norm };
  const kept = layers.flatMap((block, i): KeysValues[] => {
    x = segmentFrom(x);
    if (light && !cache) {
      x = lightBlock(config, how, block, x, view, light);
      return [];
    }
    const { qkv, o_proj } = block.self_attn;
    const { mixed, layer } = attention(how, o_proj, outputs(qkv, norm(x)), view, cache?.layers[i]);
    x = tf.add(x, mixed);
    x = tf.add(x, squared(config, block.mlp.fc2, [linear(block.mlp.fc1, norm(x))], noise));
    return [layer];
  });
  const hidden = norm(segmentFrom(x));
  return { hidden: cache ? tf.reshape(hidden, [B, config.n_embd]) : hidden, layers: kept };
}

/**
 * The head begins with half of what the matrices have. Held-out loss after 400 steps of tiny (1,024 learned tokens, AdamW
 * 3e-3, one seed; two differ by 0.015): 0.001 4.343, 0.02 4.242, 0.05 4.210, 0.088 4.247; tied to the embedding 4.254.
 */
const HEAD_SHARE = 0.5;
const REWARD_HEAD_STD = 0.02;

export const modern: Architecture = {
  // Matrices keep the size of what they are given; what a block adds is nothing at first.
  initialStd(config, name) {
    if (/\.(o_proj|fc2)\.weight$/.test(name)) return 0;
    const std = 1 / Math.sqrt(config.n_embd);
    if (name.startsWith('model.layers.')) return std;
    const isHead = name === 'lm_head.weight' || (name === embeddingName && shapeOf(config).tied_head);
    if (isHead) return HEAD_SHARE * std;
    return name === embeddingName ? 1 : REWARD_HEAD_STD;
  },

  network(config, parameters, manyCalls = false) {
    const tree = modernTree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const trunk = manyCalls ? transposeOnce(tree) : tree;
    const head = trunk.lm_head ?? trunk.embed_tokens;
    const { logit_cap: cap } = shapeOf(config);
    return {
      forward: (ids, given) => forward(config, trunk, ids, given),
      logits: (hidden) => capped(linear(head, hidden), cap),
      head,
      cap,
    };
  },

  emptyLayers: (config, rows, length) => emptyKeysValues(shapeOf(config), config.n_layer, rows, length),
};

/** Every matrix that tokens are multiplied with, transposed once (see gpt2.ts), those of one input as one. */
function transposeOnce({ embed_tokens, layers, lm_head }: Trunk<tf.Tensor>): Trunk<tf.Tensor> {
  return {
    ...(lm_head ? { embed_tokens, lm_head: turned(lm_head) } : { embed_tokens: turned(embed_tokens) }),
    layers: layers.map(({ self_attn: { qkv, o_proj }, mlp: { fc1, fc2 } }) => ({
      self_attn: { qkv: joinedOnce(qkv), o_proj: turned(o_proj) },
      mlp: { fc1: turned(fc1), fc2: turned(fc2) },
    })),
  };
}
