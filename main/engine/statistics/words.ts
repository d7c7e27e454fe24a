/**
 * Computes the share of a passage's words that occur in the training text; a low share means invented words. A word is a run of
 * letters with apostrophes inside, in any case; scripts without blanks are divided as by `shared/base/words-of`.
 */
import { wordsOf as segmented } from '../../../shared/base/words-of.js';
import { decodeInPlace, type Vocabulary } from '../tokenizer/types.js';
import type { TokenIds, TokenSource } from '../types.js';

/** The words of the training text. */
export type KnownWords = ReadonlySet<string>;

/** A word across prompt and completion counts in neither. */
export interface WrittenText {
  readonly prompt: string;
  readonly completion: string;
}

/** More than an ordinary book has; longer texts are sampled at equal distances. */
const MAX_TOKENS = 2 ** 20;
const SAMPLES = 32;

const WORD = /\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;

const wordsOf = (text: string): string[] =>
  segmented(text).flatMap((part) => (part.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll('’', "'")));

/** Collects the words of a text. */
export function knownWords(source: TokenSource, vocabulary: Pick<Vocabulary, 'decode'>): KnownWords {
  const samples = source.length <= MAX_TOKENS ? 1 : SAMPLES;
  const size = Math.min(source.length, Math.floor(MAX_TOKENS / samples));
  const known = new Set<string>();
  for (let sample = 0; sample < samples; sample++) {
    const first = samples === 1 ? 0 : Math.floor((sample * (source.length - size)) / (samples - 1));
    for (const word of wordsOf(vocabulary.decode(source.read(first, size)))) known.add(word);
  }
  return known;
}

/** `shareOfKnownWords` of prompts and completions in tokens. */
export function shareOfKnownIn(
  passages: readonly { readonly prompt: TokenIds; readonly completion: TokenIds }[],
  known: KnownWords | null,
  vocabulary: Pick<Vocabulary, 'createDecoder'> | undefined,
): number | null {
  if (known === null || vocabulary === undefined) return null;
  return shareOfKnownWords(
    passages.map(({ prompt, completion }) => {
      const [before = '', after = ''] = decodeInPlace(vocabulary, [prompt, completion]);
      return { prompt: before, completion: after };
    }),
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
