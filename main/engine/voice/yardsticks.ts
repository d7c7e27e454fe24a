/**
 * Yardsticks of a version's voice, independent of what a cycle rewards: how many passages two classifiers take for the user's, how
 * easily a fresh detector distinguishes them from the user's text, and how much they repeat, vary and copy. Pure.
 */
import type { Interval, Measure, VoiceFigures } from '../../../shared/reports/report.js';
import { mean, meanInterval, shareInterval, type Values } from '../statistics/statistics.js';
import { copyStatistics, distinctN, type CopyIndex, type Tokens } from '../statistics/text-statistics.js';
import { areaUnderCurve, characterGrams, trainClassifier, wordGrams, type Grams } from './classifier.js';

/** Classifiers by what they count. */
export interface Ear {
  readonly characters: (text: string) => number;
  readonly words: (text: string) => number;
}

/**
 * Trains both classifiers to distinguish the user's text from the untrained model's continuations of it.
 * @param text a multiple of as many passages: each part has a classifier of its own, and they vote by their sum (Breiman 1996). Text
 * costs nothing, and one classifier with more of it than of the other kind would take most passages for the user's.
 */
export function trainEar(text: readonly string[], untrained: readonly string[]): Ear {
  const parts = Math.max(1, Math.floor(text.length / untrained.length));
  const texts = Array.from({ length: parts }, (_, part) => text.filter((_, at) => at % parts === part));
  const votes = (grams: Grams) => {
    const each = texts.map((some) => trainClassifier(grams, some, untrained));
    return (passage: string) => each.reduce((sum, score) => sum + score(passage), 0);
  };
  return { characters: votes(characterGrams), words: votes(wordGrams) };
}

/** The share of passages that each classifier takes for the user's. */
export const voiceShares = (ear: Ear, passages: readonly string[]) => ({
  characters: shareOf(passages, ear.characters),
  words: shareOf(passages, ear.words),
});

function shareOf(passages: readonly string[], score: (text: string) => number): Measure {
  const taken = passages.filter((passage) => score(passage) > 0).length;
  return { mean: taken / passages.length, interval: shareInterval(taken, passages.length) };
}

const FOLDS = 4;

/**
 * Trains detectors on three quarters of the passages and of the text each, and reports how well they rank the rest: 0.5 is chance.
 * Passage i and text i follow the same prompt, so they are never on different sides.
 */
export function freshDetector(passages: readonly string[], text: readonly string[]): Measure {
  const areas = Array.from({ length: FOLDS }, (_, fold) => {
    const split = (all: readonly string[], inside: boolean) => all.filter((_, at) => (at % FOLDS === fold) === inside);
    const detect = trainClassifier(characterGrams, split(passages, false), split(text, false));
    return areaUnderCurve(split(passages, true).map(detect), split(text, true).map(detect));
  });
  const area = mean(areas);
  return { mean: area, interval: areaInterval(area, passages.length, text.length) };
}

/** The 95 % interval of an area under the curve (Hanley & McNeil 1982). */
function areaInterval(area: number, n: number, m: number): Interval {
  const [one, other] = [area / (2 - area), (2 * area ** 2) / (1 + area)];
  const spread = area * (1 - area) + (n - 1) * (one - area ** 2) + (m - 1) * (other - area ** 2);
  const reach = 1.96 * Math.sqrt(spread / (n * m));
  return { low: Math.max(0, area - reach), high: Math.min(1, area + reach) };
}

/** What plain counts say about passages of tokens. */
export const countsOf = (passages: readonly Tokens[], copies: CopyIndex, copyLength: number) => ({
  repeated: meanWithInterval(passages.map((passage) => 1 - (distinctN([passage], 2) ?? 1))),
  distinct_3: distinctN(passages, 3) ?? NaN,
  copied: meanWithInterval(passages.map((passage) => copyStatistics(passage, copies, copyLength).copiedShare)),
});

const meanWithInterval = (values: Values): Measure => ({ mean: mean(values), interval: meanInterval(values) });

interface Heard {
  readonly ear: Ear;
  readonly texts: readonly string[];
  readonly counts: ReturnType<typeof countsOf>;
  readonly logRatios: Values;
  /** The user's own continuations; omit for these themselves. */
  readonly own?: readonly string[];
}

export const figuresOf = ({ ear, texts, counts, logRatios, own }: Heard): VoiceFigures => ({
  ...voiceShares(ear, texts),
  ...counts,
  log_ratio: meanWithInterval(logRatios),
  detector: own ? freshDetector(texts, own) : null,
  passages: texts.length,
});
