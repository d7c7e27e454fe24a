/**
 * What counting pairs of characters predicts of a text: bigrams that are counted in the rest of the text and smoothed by unigrams
 * (Witten and Bell 1991). A model that knows the language of a text predicts it far better.
 */

/** Passages of an excerpt, and characters of each. */
const PASSAGES = 4;
const PASSAGE_CHARACTERS = 1000;
/** Characters that are counted. */
const COUNTED = 1 << 18;

export interface Excerpt {
  /** At most 4,000 characters, spread evenly over the text. */
  readonly text: string;
  /** Nats per character of counted pairs. */
  readonly baseline: number;
}

export function excerptOf(sample: string): Excerpt {
  const characters = [...sample.slice(0, COUNTED)];
  const stride = Math.max(PASSAGE_CHARACTERS, Math.floor(characters.length / PASSAGES));
  const passages: string[][] = [];
  const rest: string[][] = [];
  // From the middle of each part: a book begins with its title page.
  const margin = Math.floor((stride - PASSAGE_CHARACTERS) / 2);
  for (let at = 0; at < characters.length && passages.length < PASSAGES; at += stride) {
    const start = at + margin;
    passages.push(characters.slice(start, start + PASSAGE_CHARACTERS));
    rest.push(characters.slice(at, start), characters.slice(start + PASSAGE_CHARACTERS, at + stride));
  }
  return { text: passages.map((passage) => passage.join('')).join('\n'), baseline: baselineOf(passages, rest) };
}

function baselineOf(passages: readonly string[][], rest: readonly string[][]): number {
  const singles = new Map<string, number>();
  const pairs = new Map<string, Map<string, number>>();
  let total = 0;
  const count = (before: string, next: string) => {
    total += 1;
    singles.set(next, (singles.get(next) ?? 0) + 1);
    const after = pairs.get(before) ?? new Map<string, number>();
    pairs.set(before, after.set(next, (after.get(next) ?? 0) + 1));
  };
  for (const part of rest) part.forEach((next, at) => count(part[at - 1] ?? '', next));
  let [nats, read] = [0, 0];
  for (const passage of passages)
    passage.forEach((next, at) => {
      const before = passage[at - 1] ?? '';
      const after = pairs.get(before) ?? new Map<string, number>();
      // One more character than was seen, for those that were not.
      const single = ((singles.get(next) ?? 0) + 1) / (total + singles.size + 1);
      const seen = [...after.values()].reduce((sum, each) => sum + each, 0);
      nats -= Math.log(
        after.size === 0 ? single : ((after.get(next) ?? 0) + after.size * single) / (seen + after.size),
      );
      read += 1;
      // A short text has no rest: the counts learn from what was read.
      count(before, next);
    });
  return read === 0 ? 0 : nats / read;
}
