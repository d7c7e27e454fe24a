/**
 * What years of speedruns have made of GPT-2 (Jordan et al., modded-nanogpt; Karpathy, nanochat), as transformers'
 * `NanoChatForCausalLM`: RMSNorm without weights, also after the embedding, normed queries and keys (Henry et al. 2020), the square
 * of ReLU (So et al. 2021), no biases, output projections that start as zeros, and bounded scores (Gemma 2). Parameters are
 * declared in shared/architectures/modern.ts.
 */
import type * as tf from '@tensorflow/tfjs';
import { embeddingName } from '../../../shared/architectures/decoder.js';
import { modernTree, shapeOf } from '../../../shared/architectures/modern.js';
import { decoderArchitecture } from './decoder.js';
import { squaredRelu } from './layers.js';
import { parameterOf } from './parameters.js';

/**
 * The head starts with half of the matrices' standard deviation. Held-out loss after 400 steps of tiny (1,024 learned tokens, AdamW
 * 3e-3, one seed; two differ by 0.015): 0.001 4.343, 0.02 4.242, 0.05 4.210, 0.088 4.247; tied to the embedding 4.254.
 */
const HEAD_SHARE = 0.5;
const REWARD_HEAD_STD = 0.02;

export const modern = decoderArchitecture({
  // Matrices keep the size of their inputs; at first a block adds nothing.
  initialStd(config, name) {
    if (/\.(o_proj|fc2)\.weight$/.test(name)) return 0;
    const std = 1 / Math.sqrt(config.n_embd);
    if (name.startsWith('model.layers.')) return std;
    const isHead = name === 'lm_head.weight' || (name === embeddingName && shapeOf(config).tied_head);
    if (isHead) return HEAD_SHARE * std;
    return name === embeddingName ? 1 : REWARD_HEAD_STD;
  },
  // transformers' NanoChat turns the other way round than its Llama.
  shapeOf: (config) => ({ ...shapeOf(config), isClockwise: true }),
  capOf: (config) => shapeOf(config).logit_cap,
  isNormed: true,
  decoderOf(config, parameters) {
    const tree = modernTree<tf.Tensor>(config, (name) => parameterOf(parameters, name));
    const { embed_tokens: embedding, lm_head: head = embedding } = tree;
    const blocks = tree.layers.map(({ self_attn: { qkv, o_proj }, mlp: { fc1, fc2 } }) => ({
      attention: { layers: qkv, projection: o_proj },
      mlp: { layers: { each: [fc1] }, projection: fc2 },
    }));
    return { embedding, blocks, head };
  },
  activation([inner]) {
    if (!inner) throw new Error('a feed-forward network has an inner layer');
    return squaredRelu(inner);
  },
});
