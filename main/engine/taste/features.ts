/** Measures a continuation by numbers that a reader could name, in any script. Pure. */
import { wordsOf } from '../../../shared/base/words-of.js';
import { tasteFeatures, type TasteFeature } from '../../../shared/writing-taste.js';

const SENTENCE_END = /[.!?…。！？؟।]+["”’»」』)]*(?=\s|$|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})/gu;
const QUOTE = /["“”„«»「」『』]/gu;
const DASHED_LINE = /^[—–-]\s?\p{L}/gmu;
/** Words before the cursor that a continuation can echo. */
const RECENT = 150;

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const bare = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** @param context the text before it @param voice its log ratio, if known */
export function featuresOf(context: string, text: string, voice = 0): readonly number[] {
  const words = wordsOf(text).map(bare).filter(Boolean);
  const recent = wordsOf(context.slice(-10 * RECENT))
    .map(bare)
    .filter(Boolean)
    .slice(-RECENT);
  const sentences = Math.max(1, count(text, SENTENCE_END));
  const pairs = words.slice(1).map((word, at) => `${words[at] ?? ''} ${word}`);
  const letters = words.reduce((sum, word) => sum + Array.from(word).length, 0);
  const known = new Set(recent.filter((word) => Array.from(word).length > 3));
  const long = words.filter((word) => Array.from(word).length > 3);
  const values: Readonly<Record<TasteFeature, number>> = {
    sentence_length: Math.log(1 + words.length / sentences),
    word_length: share(letters, words.length),
    dialogue: share(count(text, QUOTE) + 2 * count(text, DASHED_LINE), words.length),
    questions: share(count(text, /[?？؟]/gu), words.length),
    exclamations: share(count(text, /[!！]/gu), words.length),
    commas: share(count(text, /[,;:，、；：،]/gu), words.length),
    new_paragraphs: share(count(text.trim(), /\n+/gu), words.length),
    names: share(count(text, /(?<=\p{Ll}[,;]? )\p{Lu}\p{Ll}+/gu), words.length),
    repeats: share(pairs.length - new Set(pairs).size, pairs.length),
    variety: share(new Set(words).size, words.length),
    echoes: share(long.filter((word) => known.has(word)).length, long.length),
    whole_sentences: /[.!?…。！？؟।]["”’»」』)]*\s*$/u.test(text) ? 1 : 0,
    voice,
  };
  return tasteFeatures.map((feature) => values[feature]);
}
