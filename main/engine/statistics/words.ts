/**
 * Whether what is written consists of words: the share of the words in a passage that occur in the training text. A model
 * of letters begins with none and ends with nearly all; a share that stays low means invented words. A word is a run of
 * letters, apostrophes within it included, whatever its case; a language without spaces has few that occur twice, and the
 * share means little there.
 */
import type { Vocabulary } from '../tokenizer/types.js';
import type { TokenIds, TokenSource } from '../types.js';

/** The words of a text that are known. */
export type KnownWords = ReadonlySet<string>;

/** A passage and what it continues: a word that one begins and the other ends is in neither. */
export interface WrittenText {
  readonly prompt: string;
  readonly completion: string;
}

/** At most so many tokens of a text are looked at: 1 Mi, in stretches at equal distances; all of an ordinary book. */
const MAX_TOKENS = 2 ** 20;
const STRETCHES = 32;

const WORD = /\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;

const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll('’', "'"));

/** The words of a text, of which long ones are sampled, always in the same places. */
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

/** The same for tokens: what was given of each passage, and what was written after it. */
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

/** Of all words of some passages together, the share that is known; null where there are none. */
export function shareOfKnownWords(passages: readonly WrittenText[], known: KnownWords): number | null {
  const words = passages.flatMap(({ prompt, completion }) => wordsOf(wholeWords(prompt, completion)));
  return words.length === 0 ? null : words.filter((word) => known.has(word)).length / words.length;
}

/** Without a word that the prompt began, and without one that was not written to its end. */
function wholeWords(prompt: string, completion: string): string {
  const from = /\p{L}$/u.test(prompt) ? completion.replace(/^[\p{L}\p{M}'’]+/u, '') : completion;
  return from.replace(/[\p{L}\p{M}'’]+$/u, '');
}
