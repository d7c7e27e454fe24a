/** Named arrays: sets with prefixes that share a file, and a model's rows for some of its tokens. */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { HostArray, NamedArrays } from '../types.js';

export const withPrefix = <T>(arrays: Readonly<Record<string, T>>, prefix: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [prefix + name, array]));

/** The arrays under `prefix`, without it; undefined when there are none. */
export function selectPrefix(arrays: NamedArrays, prefix: string): NamedArrays | undefined {
  const chosen = Object.entries(arrays).filter(([name]) => name.startsWith(prefix));
  if (chosen.length === 0) return undefined;
  return Object.fromEntries(chosen.map(([name, array]) => [name.slice(prefix.length), array]));
}

/** Matrices with a row for each token, of all families. */
const byToken: ReadonlySet<string> = new Set(['transformer.wte.weight', 'model.embed_tokens.weight', 'lm_head.weight']);

/** Reduces a model to some tokens, so that a pretrained model can score a small writer. @param ids in their new order */
export function withTokens(
  { model, weights }: { readonly model: GPTConfig; readonly weights: NamedArrays },
  ids: readonly number[],
): { readonly model: GPTConfig; readonly weights: NamedArrays } {
  const cut = Object.entries(weights).map(([name, array]) => [name, byToken.has(name) ? rowsOf(array, ids) : array]);
  return {
    model: { ...model, vocab_size: ids.length },
    weights: Object.fromEntries(cut) as NamedArrays,
  };
}

/** Copies rows of a matrix (V, C). */
export function rowsOf({ shape: [, width = 0], data }: HostArray, rows: readonly number[]): HostArray {
  const chosen = new Float32Array(rows.length * width);
  rows.forEach((row, at) => chosen.set(data.subarray(row * width, (row + 1) * width), at * width));
  return { shape: [rows.length, width], data: chosen };
}
