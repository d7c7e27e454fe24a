/** What Hugging Face's decoders have in common: names of parameters, and heads that share keys and values. */
import type { GPTConfig } from '../config/model.js';

/** A row for each token. */
export const embeddingName = 'model.embed_tokens.weight';

/** See ArchitectureDeclaration. */
export function decoderBlock({ n_layer }: GPTConfig, name: string): number | null {
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
