/**
 * What a person makes of the writing (specification 5.5: "periodically generate samples and have humans rate
 * them"): what the ratings come to, and what the reward model makes of the same passages. Pure; rating-passages.ts writes them.
 */
import type { RatedSource, RatingOpinion, RatingReport } from '../../../shared/contract/ratings.js';
import type { Verdict } from '../../../shared/rating.js';
import { mean, meanInterval, shareDifference, shareInterval } from '../statistics/statistics.js';

export interface RatingPassage {
  /** Held-out text, for the reader to know where the passage begins. */
  readonly prompt: string;
  /** What follows it: in the text, or by a generator. */
  readonly text: string;
}

/** Below this many of each no difference is told. */
export const MIN_RATINGS = 10;

/** @param sources the text, then the generators in order */
export function ratingReport(
  sources: readonly string[],
  ratings: readonly { readonly source: string; readonly verdict: Verdict }[],
): RatingReport {
  const rows = sources.map((source): RatedSource => {
    const own = ratings.filter((rating) => rating.source === source);
    const taken = own.filter(({ verdict }) => verdict === 'natural').length;
    return { source, rated: own.length, taken_for_natural: taken, interval: shareInterval(taken, own.length) };
  });
  const [before, newest] = rows.length > 2 ? rows.slice(-2) : [];
  if (!before || !newest || Math.min(before.rated, newest.rated) < MIN_RATINGS)
    return { sources: rows, verdict: 'too_few', change: null };
  const [first, second] = [before, newest].map(({ taken_for_natural, rated }) => ({
    successes: taken_for_natural,
    count: rated,
  }));
  // Nothing, or everything, of both: there is no difference to see, and none that is told not to be there.
  const taken = before.taken_for_natural + newest.taken_for_natural;
  if (taken === 0) return { sources: rows, verdict: 'all_generated', change: null };
  if (taken === before.rated + newest.rated) return { sources: rows, verdict: 'all_natural', change: null };
  const change = first && second ? shareDifference(first, second) : null;
  const verdict = change && change.low > 0 ? 'better' : change && change.high < 0 ? 'worse' : 'no_clear_change';
  return { sources: rows, verdict, change };
}

/** A passage as the reward model sees it. */
interface JudgedPassage {
  readonly id: string;
  readonly source: string;
  /** P(natural) at its end; NaN where the model could not tell. */
  readonly natural: number;
}

/** @param ratings of any passages; those that are not among `judged` do not count */
export function ratingOpinion(
  model: string,
  sources: readonly string[],
  judged: readonly JudgedPassage[],
  ratings: readonly { readonly passage: string; readonly verdict: Verdict }[],
): RatingOpinion {
  const known = judged.filter(({ natural }) => Number.isFinite(natural));
  const valuesOf = (passages: readonly JudgedPassage[]) => passages.map(({ natural }) => natural);
  const takenFor = (verdict: Verdict) => {
    const ids = new Set(ratings.filter((rating) => rating.verdict === verdict).map(({ passage }) => passage));
    return meanOf(valuesOf(known.filter(({ id }) => ids.has(id))));
  };
  return {
    model,
    sources: sources.map((source) => {
      const values = valuesOf(known.filter((passage) => passage.source === source));
      return { source, natural: meanOf(values), interval: meanInterval(values) };
    }),
    taken: { natural: takenFor('natural'), generated: takenFor('generated') },
  };
}

const meanOf = (values: readonly number[]): number | null => (values.length === 0 ? null : mean(values));
