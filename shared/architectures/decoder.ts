/** What Hugging Face's decoders have in common: names of parameters, and heads that share keys and values. */
import { predictsTokens, type GPTConfig } from '../config/model.js';
import type { ArchitectureDeclaration } from './declaration.js';

/** A row for each token. */
export const embeddingName = 'model.embed_tokens.weight';

function decoderBlock({ n_layer }: GPTConfig, name: string): number | null {
  if (name.startsWith('model.norm.')) return n_layer;
  const block = /^model\.layers\.(\d+)\./.exec(name)?.[1];
  return block === undefined ? null : Number(block);
}

/** Heads of queries, heads of keys and values, how many of the first share one of the second, and numbers of a head. */
export interface HeadCounts {
  readonly H: number;
  readonly G: number;
  readonly R: number;
  readonly D: number;
}

export function headCounts(
  { n_head: H }: GPTConfig,
  { n_kv_head: G, head_dim: D }: { readonly n_kv_head: number; readonly head_dim: number },
): HeadCounts {
  return { H, G, R: H / G, D };
}

/**
 * The declaration of a decoder.
 * @param tree its parameters, as a tree of what `leaf` gives for each
 * @param shapeOf what its configuration says of its heads and its output layer
 */
export const decoderDeclaration = (
  tree: (config: GPTConfig, leaf: (name: string, shape: readonly number[]) => readonly number[]) => unknown,
  shapeOf: (config: GPTConfig) => HeadCounts & { readonly tied_head: boolean },
): ArchitectureDeclaration => ({
  positions: 'rotary',
  parameterShapes(config) {
    const shapes: Record<string, readonly number[]> = {};
    tree(config, (name, shape) => (shapes[name] = shape));
    return shapes;
  },
  isLookup: (config, name) => name === embeddingName && !(shapeOf(config).tied_head && predictsTokens(config)),
  blockOf: decoderBlock,
  heads(config) {
    const { H, G, D } = shapeOf(config);
    return { queries: H, keysValues: G, size: D };
  },
});
