/** Finds what a continuation has word for word from the training text. Pure. */
import { countWords } from '../../../shared/base/words-of.js';

/** Fewer words in a row may be a common phrase. */
const LEAST_WORDS = 12;

/**
 * @param pieces the continuation's tokens as text
 * @param lengths of the longest match in the training text that starts at each token
 * @param most characters that are shown of it
 * @returns stretches by their characters, in order, none of which touch
 */
export function copiedStretches(pieces: readonly string[], lengths: ArrayLike<number>, most = Infinity) {
  const starts = [0];
  for (const piece of pieces) starts.push((starts.at(-1) ?? 0) + piece.length);
  const found: { start: number; end: number }[] = [];
  for (let first = 0; first < lengths.length; first++) {
    const after = first + (lengths[first] ?? 0);
    const [start, end] = [starts[first] ?? 0, Math.min(most, starts[after] ?? 0)];
    const before = found.at(-1);
    if (start >= end || (before && end <= before.end)) continue;
    if (countWords(pieces.slice(first, after).join('')) < LEAST_WORDS) continue;
    if (before && start <= before.end) before.end = end;
    else found.push({ start, end });
  }
  return found;
}
