/**
 * Computes the share of the words of a passage that occur in the training text. A model of letters starts with none and ends
 * with nearly all; a share that stays low means invented words. A word is a run of letters with apostrophes inside, in
 * any case; for languages without spaces the share means little.
 */
import type { Vocabulary } from '../tokenizer/types.js';
import type { TokenIds, TokenSource } from '../types.js';

/** The words of the training text. */
export type KnownWords = ReadonlySet<string>;

/** A passage and its prompt: a word across both counts in neither. */
export interface WrittenText {
  readonly prompt: string;
  readonly completion: string;
}

/** The most tokens that are sampled, in stretches at equal distances: more than an ordinary book has. */
const MAX_TOKENS = 2 ** 20;
const STRETCHES = 32;

const WORD = /\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;

const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll('’', "'"));

/** Collects the words of a text; long texts are sampled, always in the same places. */
export function knownWords(source: TokenSource, vocabulary: Pick<Vocabulary, 'decode'>): KnownWords {
  const stretches = source.length <= MAX_TOKENS ? 1 : STRETCHES;
  const size = Math.min(source.length, Math.floor(MAX_TOKENS / stretches));
  const known = new Set<string>();
  for (let stretch = 0; stretch < stretches; stretch++) {
    const first = stretches === 1 ? 0 : Math.floor((stretch * (source.length - size)) / (stretches - 1));
    for (const word of wordsOf(vocabulary.decode(source.read(first, size)))) known.add(word);
  }
  return known;
}

/** Computes the same for prompts and completions in tokens. */
export function shareOfKnownIn(
  passages: readonly { readonly prompt: TokenIds; readonly completion: TokenIds }[],
  known: KnownWords | null,
  vocabulary: Pick<Vocabulary, 'decode'> | undefined,
): number | null {
  if (known === null || vocabulary === undefined) return null;
  const read = (ids: TokenIds) => vocabulary.decode(ids);
  return shareOfKnownWords(
    passages.map(({ prompt, completion }) => ({ prompt: read(prompt), completion: read(completion) })),
    known,
  );
}

/** Computes the share over all words of some passages together; null if there are none. */
export function shareOfKnownWords(passages: readonly WrittenText[], known: KnownWords): number | null {
  const words = passages.flatMap(({ prompt, completion }) => wordsOf(wholeWords(prompt, completion)));
  return words.length === 0 ? null : words.filter((word) => known.has(word)).length / words.length;
}

/** Drops a word that the prompt starts, and one that is cut off at the end. */
function wholeWords(prompt: string, completion: string): string {
  const from = /\p{L}$/u.test(prompt) ? completion.replace(/^[\p{L}\p{M}'’]+/u, '') : completion;
  return from.replace(/[\p{L}\p{M}'’]+$/u, '');
}
