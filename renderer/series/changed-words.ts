/** Marks the words of a text that differ from its previous version, to show what changed while a model learned. */
import { wordsOf } from '../../shared/base/words-of.js';

interface Stretch {
  readonly text: string;
  readonly isNew: boolean;
}

/**
 * Splits `text` into segments that `before` has in the same order, and others (longest common subsequence of words).
 * Both are a few hundred words at most: it takes the product of their lengths.
 */
export function changedWords(before: string, text: string): readonly Stretch[] {
  const words = wordsOf(text);
  const plain = words.map((word) => word.trim());
  const earlier = wordsOf(before).map((word) => word.trim());
  // common[i][j]: number of common words of both ends, from i and from j on.
  const common = Array.from({ length: plain.length + 1 }, () => new Uint16Array(earlier.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = plain.length - 1; i >= 0; i--) {
    const row = common[i];
    for (let j = earlier.length - 1; row && j >= 0; j--)
      row[j] = plain[i] === earlier[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const stretches: { text: string; isNew: boolean }[] = [];
  let j = 0;
  for (const [i, word] of words.entries()) {
    while (j < earlier.length && plain[i] !== earlier[j] && at(i, j + 1) === at(i, j)) j++;
    const isNew = j >= earlier.length || plain[i] !== earlier[j];
    if (!isNew) j++;
    const last = stretches.at(-1);
    if (last?.isNew === isNew) last.text += word;
    else stretches.push({ text: word, isNew });
  }
  return stretches;
}
