/**
 * GPT-2's parameters (Radford et al. 2019) under nanoGPT's names and in PyTorch's [out, in] layout, so that checkpoints
 * map. The token embedding is also the head.
 */
import { predictsTokens, type GPTConfig } from '../config/model.js';
import type { AdaptedPart } from '../config/tune.js';
import { adapterOf } from './adapters.js';
import type { Affine, ArchitectureDeclaration } from './declaration.js';

export interface Block<Leaf> {
  readonly ln_1: Affine<Leaf>;
  readonly attn: { readonly c_attn: Affine<Leaf>; readonly c_proj: Affine<Leaf> };
  readonly ln_2: Affine<Leaf>;
  readonly mlp: { readonly c_fc: Affine<Leaf>; readonly c_proj: Affine<Leaf> };
}

/** The trunk's parameters as a tree: of shapes, or of tensors. */
export interface Trunk<Leaf> {
  readonly wte: Affine<Leaf>;
  readonly wpe: Affine<Leaf>;
  readonly h: readonly Block<Leaf>[];
  readonly ln_f: Affine<Leaf>;
}

/** The tree of what `leaf` gives for each parameter: the only place that knows their names, order and shapes. */
export function gpt2Tree<Leaf>(config: GPTConfig, leaf: (name: string, shape: readonly number[]) => Leaf): Trunk<Leaf> {
  const { n_embd: C, n_layer, vocab_size, block_size, bias } = config;
  const layer = (name: string, shape: readonly number[], hasBias = bias): Affine<Leaf> => ({
    weight: leaf(`transformer.${name}.weight`, shape),
    ...(hasBias ? { bias: leaf(`transformer.${name}.bias`, shape.slice(0, 1)) } : {}),
  });
  const adapted = (part: AdaptedPart, name: string, shape: readonly number[]): Affine<Leaf> => ({
    ...layer(name, shape),
    ...adapterOf(config, part, `transformer.${name}`, shape, leaf),
  });
  return {
    wte: layer('wte', [vocab_size, C], false),
    wpe: layer('wpe', [block_size, C], false),
    h: Array.from({ length: n_layer }, (_, i) => ({
      ln_1: layer(`h.${i}.ln_1`, [C]),
      attn: {
        c_attn: adapted('attention', `h.${i}.attn.c_attn`, [3 * C, C]),
        c_proj: adapted('attention', `h.${i}.attn.c_proj`, [C, C]),
      },
      ln_2: layer(`h.${i}.ln_2`, [C]),
      mlp: {
        c_fc: adapted('feed_forward', `h.${i}.mlp.c_fc`, [4 * C, C]),
        c_proj: adapted('feed_forward', `h.${i}.mlp.c_proj`, [C, 4 * C]),
      },
    })),
    ln_f: layer('ln_f', [C]),
  };
}

export const gpt2: ArchitectureDeclaration = {
  positions: 'table',
  parameterShapes(config) {
    const shapes: Record<string, readonly number[]> = {};
    gpt2Tree(config, (name, shape) => (shapes[name] = shape));
    return shapes;
  },
  isLookup: (config, name) =>
    name === 'transformer.wpe.weight' || (name === 'transformer.wte.weight' && !predictsTokens(config)),
  blockOf({ n_layer }, name) {
    if (name.startsWith('transformer.ln_f.')) return n_layer;
    const block = /^transformer\.h\.(\d+)\./.exec(name)?.[1];
    return block === undefined ? null : Number(block);
  },
  // Queries, keys and values.
  joined: (name) => (name.endsWith('.attn.c_attn.weight') ? 3 : 1),
  heads: ({ n_head, n_embd }) => ({ queries: n_head, keysValues: n_head, size: n_embd / n_head }),
};
