/**
 * A language model with a part of its vocabulary: the rows of its embedding, and of its head where that is another matrix.
 * So a model that can write already reads a text in the tokens of a small writer (docs/method.md).
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { HostArray, NamedArrays } from '../types.js';

/** The matrices with a row for each token, of every family. */
const byToken: ReadonlySet<string> = new Set(['transformer.wte.weight', 'model.embed_tokens.weight', 'lm_head.weight']);

/** @param ids of the tokens that stay, in their new order */
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

/** Rows of a matrix (V, C) as one of their own. */
export function rowsOf({ shape: [, width = 0], data }: HostArray, rows: readonly number[]): HostArray {
  const chosen = new Float32Array(rows.length * width);
  rows.forEach((row, at) => chosen.set(data.subarray(row * width, (row + 1) * width), at * width));
  return { shape: [rows.length, width], data: chosen };
}
