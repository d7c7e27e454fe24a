/** What the readers of Hugging Face's models share. */
import type { GPTConfig } from '../../shared/config/model.js';
import { notUsable } from './foreign-weights.js';
import type { NamedArrays } from '../engine/types.js';
import type { NumberFormat } from './number-formats.js';
import { shorten } from './shorten.js';

/** What config.json says, as a network of ours. */
export interface HuggingFaceConfig {
  readonly config: GPTConfig;
  /** What a person should know about what was taken over and what was not. */
  readonly notes: readonly string[];
}

export interface HuggingFaceModel extends HuggingFaceConfig {
  readonly weights: NamedArrays;
}

/** @throws UserError `checkpoint` where a tensor of this type is no weight */
export function mustBeReadable(name: string, dtype: NumberFormat, what: string): void {
  if (['F32', 'F16', 'BF16'].includes(dtype)) return;
  throw notUsable(what, `${shorten(name)} is ${dtype}`, 'Use a model in float32, float16 or bfloat16.');
}
