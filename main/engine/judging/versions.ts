/**
 * A rating for every version from all votes on pairs: Bradley–Terry with ties as a parameter (Davidson 1970), a weak prior
 * so that two votes give no infinity, and intervals that hold also where votes are not independent (strengths.ts).
 */
import type { RatedVersion, VersionRatings } from '../../../shared/judging.js';
import { valueOf } from './control.js';
import { fitStrengths, uncertaintyOf, type Ballot, type StrengthModel, type Strengths } from './strengths.js';
import { isOfVersions, type PairVote } from './votes.js';
import { Z_975 } from '../statistics/statistics.js';

/** Points of a rating to a natural logarithm of odds: 400 points are odds of ten to one (Elo 1978). */
export const POINTS = 400 / Math.LN10;

/** Standard deviation of the prior, in natural logarithms: odds of 7 to 1 between a version and the middle one are ordinary. */
const PRIOR = 2;

interface RatingOptions {
  /** `bradley_terry`: ties as half a vote for each, as arena-rank has it. */
  readonly model?: StrengthModel;
  /** The version whose rating is 0; without it, the mean of all is. */
  readonly against?: string | undefined;
  /** See StrengthOptions; null: none. */
  readonly prior?: number | null;
}

/** Votes as ballots; the same prompt's votes are one cluster. */
function ballotsOf(votes: readonly PairVote[], versions: readonly string[]): Ballot[] {
  const places = new Map(versions.map((name, at) => [name, at]));
  return votes.filter(isOfVersions).map(({ first, second, outcome, pair, prompt }) => ({
    first: places.get(first) ?? -1,
    second: places.get(second) ?? -1,
    outcome: valueOf(outcome),
    count: 1,
    cluster: prompt ?? pair,
  }));
}

/** Votes that say the same counted together: as likely as one by one, and far fewer. */
function together(ballots: readonly Ballot[]): Ballot[] {
  const found = new Map<string, { first: number; second: number; outcome: Ballot['outcome']; count: number }>();
  for (const { first, second, outcome, count } of ballots) {
    const key = `${first} ${second} ${outcome}`;
    const same = found.get(key);
    if (same) same.count += count;
    else found.set(key, { first, second, outcome, count });
  }
  return [...found.values()];
}

/** Weights of the strengths in "version `of` above `against`"; without `against`, above the mean. */
function contrast(versions: readonly string[], of: number, against: number | null, size: number): number[] {
  return Array.from({ length: size }, (_, i) => {
    if (i >= versions.length) return 0;
    const base = against === null ? 1 / versions.length : i === against ? 1 : 0;
    return (i === of ? 1 : 0) - base;
  });
}

const weigh = (weights: readonly number[], strengths: Strengths): number =>
  weights.reduce((sum, weight, i) => sum + weight * (strengths[i] ?? Number.NaN), 0);

/**
 * @param versions all that are rated, also those without votes (whose rating is the prior's)
 * @returns versions best first, in points; 95 % intervals, for this number of votes. They are the larger of the sandwich's
 *   and the model's own: of a handful of votes that all say the same the sandwich alone would be certain.
 * @throws RangeError for a vote on a version that is not among `versions`, or an unknown `against`
 */
export function rateVersions(
  votes: readonly PairVote[],
  versions: readonly string[],
  { model = 'davidson', against, prior = PRIOR }: RatingOptions = {},
): VersionRatings {
  const ballots = ballotsOf(votes, versions);
  if (ballots.some(({ first, second }) => first < 0 || second < 0))
    throw new RangeError('a vote on an unknown version');
  const base = against === undefined ? null : versions.indexOf(against);
  if (base === -1) throw new RangeError(`there is no version ${String(against)}`);
  const options = { model, prior };
  const counted = together(ballots);
  const strengths = fitStrengths(counted, versions.length, options);
  const uncertainty = uncertaintyOf(ballots, versions.length, options, strengths);
  const rated = versions.map((version, of): RatedVersion => {
    const weights = contrast(versions, of, base, strengths.length);
    const variance = Math.max(uncertainty.sandwich(weights), model === 'davidson' ? uncertainty.model(weights) : 0);
    const rating = POINTS * weigh(weights, strengths);
    const reach = POINTS * Z_975 * Math.sqrt(variance);
    const cast = ballots.filter(({ first, second }) => first === of || second === of).length;
    return { version, rating, low: rating - reach, high: rating + reach, votes: cast };
  });
  const order = versions.map((_, at) => at).sort((a, b) => (strengths[b] ?? 0) - (strengths[a] ?? 0));
  const tie = strengths[versions.length];
  return {
    versions: order.flatMap((at) => rated[at] ?? []),
    against: against ?? null,
    tie_share: tie === undefined ? null : 1 / (1 + 2 * Math.exp(-tie)),
    flips: order.slice(1).map((below, at) => {
      const above = order[at] ?? 0;
      const needed = votesToFlip(counted, { above, below }, strengths, options);
      return { above: versions[above] ?? '', below: versions[below] ?? '', votes: needed };
    }),
  };
}

const MOST_TO_FLIP = 4096;

/** The fewest more votes for the one below that put it first; null: more than MOST_TO_FLIP. */
function votesToFlip(
  ballots: readonly Ballot[],
  { above, below }: { readonly above: number; readonly below: number },
  strengths: Strengths,
  options: { readonly model: StrengthModel; readonly prior: number | null },
): number | null {
  const versions = strengths.length - (options.model === 'davidson' ? 1 : 0);
  const flipped = (count: number): boolean => {
    const more: Ballot = { first: below, second: above, outcome: 1, count };
    const moved = fitStrengths([...ballots, more], versions, options, strengths);
    return (moved[below] ?? 0) > (moved[above] ?? 0);
  };
  let most = 1;
  while (!flipped(most)) {
    most *= 2;
    if (most > MOST_TO_FLIP) return null;
  }
  let [least, enough] = [most / 2, most];
  while (enough - least > 1) {
    const middle = Math.floor((least + enough) / 2);
    if (flipped(middle)) enough = middle;
    else least = middle;
  }
  return enough;
}
