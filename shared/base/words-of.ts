/** A text as words, for people to point at, to count, and to see what changed. */

/** Scripts that are written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * Splits text into words, each with the punctuation and whitespace after it; leading whitespace belongs to the first. Joined,
 * they are the text.
 */
export const wordsOf = (text: string): readonly string[] =>
  (text.match(/^\s+$|^\s*\S+\s*|\S+\s*/gu) ?? []).flatMap((run) => (UNSPACED.test(run) ? wordsWithin(run) : [run]));

function wordsWithin(run: string): string[] {
  const words: string[] = [];
  let hasWord = false;
  for (const { segment, isWordLike = false } of segmenter.segment(run)) {
    if (words.length === 0 || (isWordLike && hasWord)) words.push(segment);
    else words.push(`${words.pop() ?? ''}${segment}`);
    hasWord ||= isWordLike;
  }
  return words;
}

/** Counts the words that have a letter or a digit. */
export const countWords = (text: string): number => wordsOf(text).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The first `count` words, without the whitespace after the last one. */
export function firstWords(text: string, count: number): string {
  const words = wordsOf(text);
  return words.length <= count ? text : words.slice(0, count).join('').trimEnd();
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
