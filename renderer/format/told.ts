/**
 * Sentences of the main process in other words than the English they are made in: by patterns, since what they speak of
 * (files, numbers, settings) stands within them. One that no pattern knows stays as it is. Pure.
 */
import type { Sentence } from '../../shared/sentence.js';

/** `{}` is whatever is spoken of; in the other words they keep their order, or are named by their places: `{1}`. */
export type Told = readonly (readonly [english: string, other: string])[];

/** Stands for a part of a sentence that is no text, by its place. */
const MARK = '\u0001';

/** Sentences within sentences within sentences; deeper, nothing is made. */
const DEEPEST = 4;

interface Pattern {
  /** What has to stand in a sentence before it is worth looking closer. */
  readonly literals: readonly string[];
  readonly is: RegExp;
  readonly other: string;
}

/** @param figure a number as English writes it, in other words too */
export function tellIn(
  patterns: Told,
  figure: (english: string) => string = (text) => text,
): (sentence: Sentence) => Sentence {
  let made: ReturnType<typeof sorted> | null = null;
  const known = () => (made ??= sorted(patterns));

  const byPattern = (text: string, depth: number, among: readonly Pattern[]): string => {
    for (const { literals, is, other } of among) {
      const found = literals.every((literal) => text.includes(literal)) ? is.exec(text) : null;
      if (!found) continue;
      let next = 0;
      const spoken = (place: number) => within(found[place + 1] ?? '', depth + 1);
      return other.replaceAll(/\{(\d?)\}/g, (_, place: string) => spoken(place === '' ? next++ : Number(place)));
    }
    return text;
  };
  /** A sentence, or several on end. */
  const tell = (text: string, depth: number): string => {
    const whole = byPattern(text, depth, known().sentences);
    return whole === text ? (apart(text, depth, /(?<=[.?!]) (?=\p{Lu})/u, ' ') ?? text) : whole;
  };
  /** What is spoken of: a sentence, a number, several of either, or a list of files with why each was left out in brackets. */
  const within = (text: string, depth: number): string => {
    if (depth > DEEPEST || text === '') return text;
    const whole = tell(text, depth);
    if (whole !== text) return whole;
    const number = figure(text);
    if (number !== text) return number;
    const several = apart(text, depth, /; /, '; ') ?? apart(text, depth, /, /, ', ');
    if (several !== null) return several;
    const listed = text.replaceAll(
      /\(([^()]+(?:\([^()]*\)[^()]*)*)\)/g,
      (_, why: string) => `(${tell(why, depth + 1)})`,
    );
    return listed === text ? byPattern(text, depth, known().links) : listed;
  };
  /** Several sentences on end, where each of them is known. */
  const apart = (text: string, depth: number, between: RegExp, joined: string): string | null => {
    const parts = text.split(between);
    if (parts.length < 2 || depth >= DEEPEST) return null;
    const others = parts.map((part) => within(part, depth + 1));
    return others.every((other, at) => other !== parts[at]) ? others.join(joined) : null;
  };
  const all = (text: string): string => {
    const whole = tell(text, 0);
    return whole === text ? byPattern(text, 0, known().links) : whole;
  };
  return (sentence) => {
    if (typeof sentence === 'string') return all(sentence);
    if ('code' in sentence) return sentence;
    const text = sentence.map((part, at) => (typeof part === 'string' ? part : `${MARK}${at}${MARK}`)).join('');
    return all(text)
      .split(MARK)
      .flatMap((part, at) => (at % 2 === 0 ? (part === '' ? [] : [part]) : (sentence[Number(part)] ?? [])));
  };
}

const letters = (english: string): number => english.match(/\p{L}/gu)?.length ?? 0;

/**
 * What says most of itself comes first; "{} is {}" and the like, which any sentence might be taken for, come after all else
 * that it may be made of.
 */
function sorted(patterns: Told) {
  const all = [...patterns].sort(([a], [b]) => letters(b) - letters(a));
  const isLink = ([english]: Told[number]) => english.includes('{}') && letters(english) < 4;
  return {
    sentences: all.filter((one) => !isLink(one)).map(patternOf),
    links: all.filter(isLink).map(patternOf),
  };
}

function patternOf([english, other]: Told[number]): Pattern {
  const literals = english.split('{}');
  const is = new RegExp(
    `^${literals.map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('([^]*?)')}$`,
  );
  return { literals: literals.filter((literal) => literal !== ''), is, other };
}
