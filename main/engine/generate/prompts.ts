/** Prompts for GRPO and evaluation: natural text of varying length (specification 5.4). */
import { uniformInt } from '../rng.js';
import type { TokenIds, TokenSource } from '../types.js';

/** Draws prompts of lengths uniform in [1, block_size/2]; prompt i is a function of (seed, stream, step, i). */
export function samplePrompts(
  tokens: TokenSource,
  count: number,
  blockSize: number,
  place: { readonly seed: number; readonly stream: number; readonly step: number },
): TokenIds[] {
  const longest = Math.max(1, Math.min(Math.floor(blockSize / 2), tokens.length));
  return Array.from({ length: count }, (_, i) => {
    const length = 1 + uniformInt(place.seed, place.stream, place.step, 2 * i, longest);
    const start = uniformInt(place.seed, place.stream, place.step, 2 * i + 1, tokens.length - length + 1);
    return tokens.read(start, length).slice();
  });
}
