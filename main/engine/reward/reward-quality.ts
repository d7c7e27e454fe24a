/**
 * The quality report of a reward dataset in the specification's words (3.9), and the variety of its generated halves compared
 * with the natural ones. Pure.
 */
import { createFormat } from '../../../shared/messages/formatter.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { terminalSurface } from '../../../shared/messages/surfaces.js';
import { mean } from '../statistics/statistics.js';
import { distinctN, longestRepeatedRun, type Tokens } from '../statistics/text-statistics.js';
import type { TokenIds } from '../types.js';

type Verdict = 'good' | 'warning' | 'bad';

export interface QualityCheck {
  readonly name: 'probability_sums' | 'token_ranges' | 'split' | 'tokenization' | 'files' | 'metadata' | 'variety';
  readonly verdict: Verdict;
  readonly message: Message;
}

const marks: Readonly<Record<Verdict, string>> = { good: '✅', warning: '⚠️', bad: '❌' };

const inEnglish = createFormat(terminalSurface('en'));

/** Words the checks as the specification does, in English. */
export const wordedChecks = (checks: readonly QualityCheck[]) =>
  checks.map((check) => ({ ...check, name: inEnglish(`quality.${check.name}`), message: inEnglish(check.message) }));

export const formatQuality = (checks: readonly QualityCheck[]): string =>
  [
    'Dataset Quality Validation:',
    ...wordedChecks(checks).map(({ name, verdict, message }) => `${marks[verdict]} ${name}: ${message}`),
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
  const all = train + val;
  const check = (verdict: Verdict, message: Message): QualityCheck => ({ name: 'split', verdict, message });
  if (all === 0) return check('bad', localized('quality.split.none'));
  const shares = { train: train / all, val: val / all };
  if (train === 0 || val === 0) return check('bad', localized('quality.split.shares', shares));
  // Each split loses up to a chunk to rounding.
  if (trainSplit === null || limited || Math.abs(train - trainSplit * all) <= 2 * perChunk) {
    return check('good', localized('quality.split.shares', shares));
  }
  return check('warning', localized('quality.split.off', { ...shares, trainSplit }));
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
  const check = (verdict: Verdict, message: Message): QualityCheck => ({ name: 'variety', verdict, message });
  if (variety === null) return check('warning', localized('quality.variety.short'));
  const isVaried = variety.generated >= MIN_VARIETY * variety.natural;
  return check(isVaried ? 'good' : 'warning', localized('quality.variety.measured', { ...variety, isVaried }));
}
