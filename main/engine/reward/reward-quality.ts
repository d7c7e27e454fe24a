/**
 * The quality report of a reward dataset in the specification's words (3.9), and the variety of its generated halves compared
 * with the natural ones. Pure.
 */
import { mean } from '../statistics/statistics.js';
import { distinctN, longestRepeatedRun, type Tokens } from '../statistics/text-statistics.js';
import type { TokenIds } from '../types.js';

export type Verdict = 'good' | 'warning' | 'bad';

export interface QualityCheck {
  readonly name: string;
  readonly verdict: Verdict;
  readonly message: string;
}

const marks: Readonly<Record<Verdict, string>> = { good: '✅', warning: '⚠️', bad: '❌' };

export const formatQuality = (checks: readonly QualityCheck[]): string =>
  [
    'Dataset Quality Validation:',
    ...checks.map(({ name, verdict, message }) => `${marks[verdict]} ${name}: ${message}`),
  ].join('\n');

interface SplitFacts {
  readonly train: number;
  readonly val: number;
  /** The text's split, if it is known. */
  readonly trainSplit: number | null;
  /** The settings limit the samples, so their numbers do not follow the text's split. */
  readonly limited: boolean;
  /** Samples of one chunk of text. */
  readonly perChunk: number;
}

/** Checks the sizes of the splits against the text's split. */
export function splitCheck(facts: SplitFacts): QualityCheck {
  const { train, val, trainSplit, limited, perChunk } = facts;
  const name = 'Split consistency';
  const all = train + val;
  if (all === 0) return { name, verdict: 'bad', message: 'There are no samples' };
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  const message = `${percent(train / all)} train, ${percent(val / all)} validation`;
  if (train === 0 || val === 0) return { name, verdict: 'bad', message };
  if (trainSplit === null || limited) return { name, verdict: 'good', message };
  // Each split loses up to a chunk to rounding.
  const off = Math.abs(train - trainSplit * all);
  if (off <= 2 * perChunk) return { name, verdict: 'good', message };
  return { name, verdict: 'warning', message: `${message}, but train_split was ${percent(trainSplit)}` };
}

/** Means over samples, of equally many natural and generated tokens. */
export interface Variety {
  readonly samples: number;
  /** distinct-2. */
  readonly natural: number;
  readonly generated: number;
  /** Longest repeated run, in tokens. */
  readonly naturalRun: number;
  readonly generatedRun: number;
}

/** Generation with less than this share of the text's variety repeats itself. */
const MIN_VARIETY = 0.8;

/** Compares the last natural tokens of each sample with equally many generated ones; null if all are too short. */
export function measureVariety(
  samples: Iterable<{ readonly tokens: TokenIds; readonly crossover: number }>,
): Variety | null {
  const measured: Omit<Variety, 'samples'>[] = [];
  for (const { tokens, crossover } of samples) {
    const length = Math.min(crossover, tokens.length - crossover);
    const natural = tokens.subarray(crossover - length, crossover);
    const generated = tokens.subarray(crossover, crossover + length);
    const [a, b] = [distinctN([natural as Tokens], 2), distinctN([generated as Tokens], 2)];
    if (a === null || b === null) continue;
    const [naturalRun, generatedRun] = [longestRepeatedRun(natural), longestRepeatedRun(generated)];
    measured.push({ natural: a, generated: b, naturalRun, generatedRun });
  }
  if (measured.length === 0) return null;
  const meanOf = (key: Exclude<keyof Variety, 'samples'>) => mean(measured.map((one) => one[key]));
  return {
    samples: measured.length,
    natural: meanOf('natural'),
    generated: meanOf('generated'),
    naturalRun: meanOf('naturalRun'),
    generatedRun: meanOf('generatedRun'),
  };
}

export function varietyCheck(variety: Variety | null): QualityCheck {
  const name = 'Generation quality';
  if (variety === null) return { name, verdict: 'warning', message: 'The samples are too short to judge' };
  const { natural, generated, naturalRun, generatedRun } = variety;
  const words = `generated text has distinct-2 ${generated.toFixed(3)}, natural ${natural.toFixed(3)}`;
  const runs = `longest repetition ${generatedRun.toFixed(1)} and ${naturalRun.toFixed(1)} tokens`;
  if (generated >= MIN_VARIETY * natural) return { name, verdict: 'good', message: `${words} (${runs})` };
  const advice = 'the model repeats itself; a higher temperature or more training helps';
  return { name, verdict: 'warning', message: `${words} (${runs}): ${advice}` };
}
