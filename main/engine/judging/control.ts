/**
 * Few votes, more certainty: a preference from some pairs that people voted on and scores of all pairs, voted on or not, by
 * models that cost nothing to ask. What the scores say of the voted pairs against all pairs corrects the votes' mean; a
 * weight found from the votes themselves makes sure that scores which know nothing do no harm (prediction-powered inference
 * with power tuning: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic, Science 382 (2023); Angelopoulos, Duchi, Zrnic,
 * arXiv 2311.01453; control variates in the evaluation of language models: arXiv 2601.21471).
 */
import type { ControlledPreference, PairOutcome, Preference } from '../../../shared/judging.js';
import { studentT975 } from '../../../shared/base/student-t.js';
import { mean, sum, variance } from '../statistics/statistics.js';
import { solve } from './linear.js';

/** One pair of the two versions. */
export interface ScoredPair {
  /** What was said of it; null: nothing yet. */
  readonly outcome: PairOutcome | null;
  /** What each model makes of the first less what it makes of the second: as many scores for every pair, all finite. */
  readonly scores: readonly number[];
}

/** 1 for the first, 0 for the second, half for neither. */
export const valueOf = (outcome: PairOutcome): 0 | 0.5 | 1 =>
  outcome === 'first' ? 1 : outcome === 'second' ? 0 : 0.5;

/** Below this many votes for each thing to estimate a normal interval means nothing. */
const LEAST_VOTES = 10;

/**
 * Wilson's interval (1927) with Student's quantile, of a mean of values between 0 and 1 that is as certain as the share of so
 * many yeses and noes: it stays within [0, 1], and of votes that all say the same it is not certain.
 */
function around(estimate: number, worth: number, degrees: number): Preference {
  const t2 = studentT975(degrees) ** 2;
  const share = Math.min(1, Math.max(0, estimate));
  const centre = (share + t2 / (2 * worth)) / (1 + t2 / worth);
  const reach = Math.sqrt(t2 * ((share * (1 - share)) / worth + t2 / (4 * worth ** 2))) / (1 + t2 / worth);
  return { estimate: share, low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}

/** How many yeses and noes the values are worth: their own number, and more where ties make them vary less. */
function worthOf(values: readonly number[]): number {
  const share = mean(values);
  const most = share * (1 - share);
  return most === 0 ? values.length : values.length / Math.min(1, Math.max(variance(values) / most, 1 / values.length));
}

/**
 * The mean value of a pair for the first: its share of the votes, a tie half. 95 % intervals, for this number of votes.
 * @param pairs independent ones; those voted on are to be a random part of all
 * @returns both null below ten votes; `with` null where there is no score, none that varies, or no pair without a vote
 * @throws RangeError where pairs have different numbers of scores
 */
export function preference(pairs: readonly ScoredPair[]): ControlledPreference {
  const models = pairs[0]?.scores.length ?? 0;
  if (pairs.some(({ scores }) => scores.length !== models)) throw new RangeError('pairs with different scores');
  const voted = pairs.flatMap(({ outcome, scores }) => (outcome === null ? [] : [{ value: valueOf(outcome), scores }]));
  const rest = pairs.filter(({ outcome }) => outcome === null);
  const counts = { votes: voted.length, pairs: pairs.length };
  if (voted.length < LEAST_VOTES) return { ...counts, without: null, with: null };
  const values = voted.map(({ value }) => value);
  const without = around(mean(values), worthOf(values), values.length - 1);
  return { ...counts, without, with: controlled(voted, rest, models) };
}

interface Scored {
  readonly scores: readonly number[];
}

function controlled(
  voted: readonly (Scored & { readonly value: number })[],
  rest: readonly Scored[],
  models: number,
): Preference | null {
  if (models === 0 || rest.length < LEAST_VOTES || voted.length < LEAST_VOTES * (models + 1)) return null;
  const values = voted.map(({ value }) => value);
  const column = (rows: readonly Scored[], at: number) => rows.map(({ scores }) => scores[at] ?? Number.NaN);
  const [of, all] = [voted, [...voted, ...rest]].map((rows) =>
    Array.from({ length: models }, (_, at) => column(rows, at)),
  );
  if (!of || !all || all.some((scores) => variance(scores) === 0)) return null;
  // The variance of the difference of two means of scores, over all pairs; the covariance, over the votes.
  const spread = all.map((a) => all.map((b) => covariance(a, b)));
  const along = of.map((scores) => covariance(scores, values));
  let weights: number[];
  try {
    weights = solve(spread, along);
  } catch {
    return null; // Two models that say the same.
  }
  const [n, m] = [voted.length, rest.length];
  const tuned = weights.map((weight) => weight / (1 + n / m));
  const predicted = (rows: readonly Scored[]) =>
    rows.map(({ scores }) => sum(scores.map((score, at) => score * (tuned[at] ?? 0))));
  const [ofVoted, ofRest] = [predicted(voted), predicted(rest)];
  const residuals = values.map((value, at) => value - (ofVoted[at] ?? 0));
  const degrees = n - 1 - models;
  const before = variance(values) / n;
  const after = (variance(residuals) * (n - 1)) / degrees / n + variance(ofRest) / m;
  const worth = worthOf(values) * (before === 0 ? 1 : before / after);
  return around(mean(residuals) + mean(ofRest), worth, degrees);
}

function covariance(a: readonly number[], b: readonly number[]): number {
  const [centreA, centreB] = [mean(a), mean(b)];
  return sum(a.map((value, at) => (value - centreA) * ((b[at] ?? Number.NaN) - centreB))) / (a.length - 1);
}
