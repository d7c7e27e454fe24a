/**
 * Llama's family as Hugging Face has it (Touvron et al. 2023): a gated feed-forward network (SwiGLU, Shazeer 2020), and the token
 * embedding or another matrix as the head. Some members add biases to attention (Qwen2) or norm each head's queries and keys
 * (Qwen3). Parameters are declared in shared/architectures/llama.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { llamaTree, shapeOf } from '../../../shared/architectures/llama.js';
import { decoderArchitecture } from './decoder.js';
import { silu } from './layers.js';
import { parameterOf } from './parameters.js';

/** Standard deviation of the family's initial weights. */
const INITIAL_STD = 0.02;

export const llama = decoderArchitecture({
  // As GPT-2: each block adds to the residual stream twice, whose size should not depend on depth.
  initialStd: ({ n_layer }, name) =>
    /\.(o_proj|down_proj)\.weight$/.test(name) ? INITIAL_STD / Math.sqrt(2 * n_layer) : INITIAL_STD,
  shapeOf,
  isNormed: false,
  decoderOf(config, parameters) {
    const tree = llamaTree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const { embed_tokens: embedding, norm, lm_head: head = embedding } = tree;
    const blocks = tree.layers.map(({ input_layernorm, self_attn, post_attention_layernorm, mlp }) => {
      const { qkv: layers, norms: headNorms, o_proj: projection } = self_attn;
      return {
        attention: { norm: input_layernorm, layers, projection, headNorms },
        mlp: { norm: post_attention_layernorm, layers: mlp.gateUp, projection: mlp.down_proj },
      };
    });
    return { embedding, blocks, norm, head };
  },
  activation([gate, up]) {
    if (!gate || !up) throw new Error('a gated network has two layers');
    return tf.mul(silu(gate), up);
  },
});
