/**
 * Llama's family as Hugging Face has it (Touvron et al. 2023): RMSNorm, rotary positions, a gated feed-forward network
 * (SwiGLU, Shazeer 2020), keys and values that several heads share (Ainslie et al. 2023), and the token embedding or a
 * matrix of its own as the head. Some members add biases to attention (Qwen2) or norm each head's queries and keys
 * (Qwen3). Its parameters are declared in shared/architectures/llama.ts.
 *
 * Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { llamaTree, shapeOf, type Block, type Trunk } from '../../../shared/architectures/llama.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Architecture, KeysValues, Network, Pass } from './architecture.js';
import { attention, emptyKeysValues, joinedOnce, outputs, viewOf } from './attention.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { linear, rmsNorm, silu, turned } from './layers.js';
import { parameterOf } from './parameters.js';

/** Standard deviation of the family's initial weights. */
const INITIAL_STD = 0.02;

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
  given: Parameters<Network['forward']>[1] = {},
): Pass {
  const shape = shapeOf(config);
  const { noise, cache } = given;
  const [B = 0, T = 1] = ids.shape;
  const view = viewOf(shape, T, given);
  const embedded = tf.gather(embed_tokens.weight, (cache ? tf.reshape(ids, [B, 1]) : ids) as tf.Tensor2D);
  let x = dropout(embedded, config.dropout, noise);
  const kept = layers.map((block, i): KeysValues => {
    const before = rmsNorm(block.input_layernorm, x, shape.norm_epsilon);
    const { norms, ...self } = block.self_attn;
    const how = {
      heads: shape,
      dropout: config.dropout,
      norm: (heads: tf.Tensor, whose: 'queries' | 'keys') =>
        norms ? rmsNorm(whose === 'queries' ? norms.q : norms.k, heads, shape.norm_epsilon) : heads,
    };
    const { mixed, layer } = attention(how, self, before, view, cache?.layers[i]);
    x = tf.add(x, mixed);
    x = tf.add(x, mlp(config, block.mlp, rmsNorm(block.post_attention_layernorm, x, shape.norm_epsilon), noise));
    return layer;
  });
  const hidden = rmsNorm(norm, x, shape.norm_epsilon);
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
