/**
 * Sentences of the main process in another language than the English they are made in: by patterns, since what they speak of
 * (files, numbers, settings) stands within them. One that no pattern knows stays as it is. Pure.
 */
import type { Sentence } from '../../shared/sentence.js';

/** `{}` is whatever is spoken of; in the other language they keep their order, or are named by their places: `{1}`. */
export type Told = readonly (readonly [english: string, other: string])[];

/** Stands for a part of a sentence that is no text, by its place. */
const MARK = '\u0001';

export function tellIn(patterns: Told): (sentence: Sentence) => Sentence {
  const known = patterns.map(([english, other]) => ({ is: pattern(english), other }));
  const tell = (text: string, depth = 0): string => {
    for (const { is, other } of known) {
      const found = is.exec(text);
      if (!found) continue;
      let next = 0;
      const spoken = (place: number) => within(found[place + 1] ?? '', depth);
      return other.replaceAll(/\{(\d?)\}/g, (_, place: string) => spoken(place === '' ? next++ : Number(place)));
    }
    return text;
  };
  /** Of a list of files, each with why it was left out in brackets; of a sentence within another. */
  const within = (text: string, depth: number): string => {
    if (depth > 2) return text;
    const whole = tell(text, depth + 1);
    return whole === text
      ? text.replaceAll(/\(([^()]+(?:\([^()]*\)[^()]*)*)\)/g, (_, why: string) => `(${tell(why, depth + 1)})`)
      : whole;
  };
  return (sentence) => {
    if (typeof sentence === 'string') return tell(sentence);
    const text = sentence.map((part, at) => (typeof part === 'string' ? part : `${MARK}${at}${MARK}`)).join('');
    return tell(text)
      .split(MARK)
      .flatMap((part, at) => (at % 2 === 0 ? (part === '' ? [] : [part]) : (sentence[Number(part)] ?? [])));
  };
}

const pattern = (english: string): RegExp =>
  new RegExp(
    `^${english
      .split('{}')
      .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('([^]+?)')}$`,
  );
