/**
 * The parameters of Llama's family (main/engine/model/llama.ts says which) under Hugging Face's names and in its layout, so
 * that its files are these weights. G heads of keys and values, R = H/G heads of queries for each, D numbers in a head.
 */
import { predictsTokens, type GPTConfig, type LlamaShape } from '../config/model.js';
import type { AdaptedPart } from '../config/tune.js';
import { adapterOf } from './adapters.js';
import { decoderDeclaration, headCounts, type HeadCounts } from './decoder.js';
import type { Affine, Siblings } from './declaration.js';

export interface Block<Leaf> {
  readonly input_layernorm: Affine<Leaf>;
  readonly self_attn: {
    /** Queries, keys, values. */
    readonly qkv: Siblings<Leaf>;
    /** Norms of each head's queries and of its keys. */
    readonly norms?: { readonly q: Affine<Leaf>; readonly k: Affine<Leaf> };
    readonly o_proj: Affine<Leaf>;
  };
  readonly post_attention_layernorm: Affine<Leaf>;
  readonly mlp: { readonly gateUp: Siblings<Leaf>; readonly down_proj: Affine<Leaf> };
}

/** The trunk's parameters as a tree: of shapes, or of tensors. */
export interface Trunk<Leaf> {
  readonly embed_tokens: Affine<Leaf>;
  readonly layers: readonly Block<Leaf>[];
  readonly norm: Affine<Leaf>;
  /** Left out: the embedding is the head. */
  readonly lm_head?: Affine<Leaf>;
}

type Shape = LlamaShape & HeadCounts;

export function shapeOf(config: GPTConfig): Shape {
  const { llama: shape } = config;
  if (!shape) throw new Error('a network of this family needs the shape that its configuration has under llama');
  return { ...shape, ...headCounts(config, shape) };
}

/** The tree of what `leaf` gives for each parameter: the only place that knows their names, order and shapes. */
export function llamaTree<Leaf>(
  config: GPTConfig,
  leaf: (name: string, shape: readonly number[]) => Leaf,
): Trunk<Leaf> {
  const { n_embd: C, n_layer, vocab_size: V } = config;
  const { H, G, D, n_inner, tied_head, qk_norm, attention_bias } = shapeOf(config);
  const layer = (name: string, shape: readonly number[], hasBias = false): Affine<Leaf> => ({
    weight: leaf(`${name}.weight`, shape),
    ...(hasBias ? { bias: leaf(`${name}.bias`, shape.slice(0, 1)) } : {}),
  });
  const adapted = (part: AdaptedPart, name: string, shape: readonly number[], hasBias = false): Affine<Leaf> => ({
    ...layer(name, shape, hasBias),
    ...adapterOf(config, part, name, shape, leaf),
  });
  const block = (name: string): Block<Leaf> => {
    const attention = (part: string, shape: readonly number[]) =>
      adapted(
        'attention',
        `${name}.self_attn.${part}`,
        shape,
        attention_bias === 'all' || (attention_bias === 'inputs' && part !== 'o_proj'),
      );
    const mlp = (part: string, shape: readonly number[]) => adapted('feed_forward', `${name}.mlp.${part}`, shape);
    return {
      input_layernorm: layer(`${name}.input_layernorm`, [C]),
      self_attn: {
        qkv: {
          each: [attention('q_proj', [H * D, C]), attention('k_proj', [G * D, C]), attention('v_proj', [G * D, C])],
        },
        ...(qk_norm
          ? { norms: { q: layer(`${name}.self_attn.q_norm`, [D]), k: layer(`${name}.self_attn.k_norm`, [D]) } }
          : {}),
        o_proj: attention('o_proj', [C, H * D]),
      },
      post_attention_layernorm: layer(`${name}.post_attention_layernorm`, [C]),
      mlp: {
        gateUp: { each: [mlp('gate_proj', [n_inner, C]), mlp('up_proj', [n_inner, C])] },
        down_proj: mlp('down_proj', [C, n_inner]),
      },
    };
  };
  const hasHead = !tied_head && predictsTokens(config);
  return {
    embed_tokens: layer('model.embed_tokens', [V, C]),
    layers: Array.from({ length: n_layer }, (_, i) => block(`model.layers.${i}`)),
    norm: layer('model.norm', [C]),
    ...(hasHead ? { lm_head: layer('lm_head', [V, C]) } : {}),
  };
}

export const llama = decoderDeclaration(llamaTree, shapeOf);
