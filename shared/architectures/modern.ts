/**
 * The parameters of the modern architecture (main/engine/model/modern.ts says what it computes) under the names of transformers'
 * `NanoChatForCausalLM` and in its layout, so that its files are these weights. Norms have none, and nothing has a bias.
 */
import { predictsTokens, type GPTConfig, type ModernShape } from '../config/model.js';
import type { AdaptedPart } from '../config/tune.js';
import { adapterOf } from './adapters.js';
import { decoderDeclaration, headCounts, type HeadCounts } from './decoder.js';
import type { Affine, Siblings } from './declaration.js';

export interface Block<Leaf> {
  readonly self_attn: { readonly qkv: Siblings<Leaf>; readonly o_proj: Affine<Leaf> };
  readonly mlp: { readonly fc1: Affine<Leaf>; readonly fc2: Affine<Leaf> };
}

/** The trunk's parameters as a tree: of shapes, or of tensors. */
export interface Trunk<Leaf> {
  readonly embed_tokens: Affine<Leaf>;
  readonly layers: readonly Block<Leaf>[];
  /** Left out: the embedding is the head. */
  readonly lm_head?: Affine<Leaf>;
}

type Shape = ModernShape & HeadCounts;

/** The shape of a network that is trained from scratch. */
const usual = ({ n_head, n_embd, block_size }: GPTConfig): ModernShape => ({
  n_kv_head: n_head,
  head_dim: n_embd / n_head,
  n_inner: 4 * n_embd,
  norm_epsilon: 1e-6,
  rope_theta: 10_000,
  max_positions: block_size,
  tied_head: false,
  logit_cap: 15,
});

export function shapeOf(config: GPTConfig): Shape {
  const shape = config.modern ?? usual(config);
  return { ...shape, ...headCounts(config, shape) };
}

/** The tree of what `leaf` gives for each parameter: the only place that knows their names, order and shapes. */
export function modernTree<Leaf>(
  config: GPTConfig,
  leaf: (name: string, shape: readonly number[]) => Leaf,
): Trunk<Leaf> {
  const { n_embd: C, n_layer, vocab_size: V } = config;
  const { H, G, D, n_inner, tied_head } = shapeOf(config);
  const layer = (name: string, shape: readonly number[]): Affine<Leaf> => ({ weight: leaf(`${name}.weight`, shape) });
  const block = (name: string): Block<Leaf> => {
    const adapted =
      (part: AdaptedPart, within: string) =>
      (own: string, shape: readonly number[]): Affine<Leaf> => ({
        ...layer(`${name}.${within}.${own}`, shape),
        ...adapterOf(config, part, `${name}.${within}.${own}`, shape, leaf),
      });
    const attention = adapted('attention', 'self_attn');
    const mlp = adapted('feed_forward', 'mlp');
    return {
      self_attn: {
        qkv: {
          each: [attention('q_proj', [H * D, C]), attention('k_proj', [G * D, C]), attention('v_proj', [G * D, C])],
        },
        o_proj: attention('o_proj', [C, H * D]),
      },
      mlp: { fc1: mlp('fc1', [n_inner, C]), fc2: mlp('fc2', [C, n_inner]) },
    };
  };
  const hasHead = !tied_head && predictsTokens(config);
  return {
    embed_tokens: layer('model.embed_tokens', [V, C]),
    layers: Array.from({ length: n_layer }, (_, i) => block(`model.layers.${i}`)),
    ...(hasHead ? { lm_head: layer('lm_head', [V, C]) } : {}),
  };
}

export const modern = decoderDeclaration(modernTree, shapeOf);
