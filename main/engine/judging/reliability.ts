/** Measures raters: how consistent they are, and how exactly they find the word at which a passage stops being natural. */
import {
  EVERYONE,
  HASTY_SECONDS,
  type BoundaryFigures,
  type Reliability,
  type Share,
} from '../../../shared/judging.js';
import { mean, meanInterval, quantile, shareInterval } from '../statistics/statistics.js';
import type { BoundaryVote, PairVote } from './votes.js';

/** @param yes of `of` */
const shareOf = (yes: number, of: number): Share => ({
  yes,
  of,
  share: of === 0 ? null : yes / of,
  interval: shareInterval(yes, of),
});

/** Returns everyone together, then each rater if there are several. */
function eachRater<V extends { readonly rater: string }>(
  votes: readonly V[],
): readonly { readonly rater: string; readonly votes: readonly V[] }[] {
  const raters = [...new Set(votes.map(({ rater }) => rater))];
  return [
    ...(raters.length > 0 ? [{ rater: EVERYONE, votes }] : []),
    ...(raters.length > 1 ? raters : []).map((rater) => ({
      rater,
      votes: votes.filter((vote) => vote.rater === rater),
    })),
  ];
}

/** Pairs each repeat with the same rater's first answer. @returns [first, again] */
function repeatedBy<V extends { readonly rater: string; readonly repeat_of?: string | undefined }>(
  votes: readonly V[],
  idOf: (vote: V) => string,
): readonly (readonly [V, V])[] {
  const originals = new Map(votes.map((vote) => [JSON.stringify([vote.rater, idOf(vote)]), vote]));
  return votes.flatMap((vote) => {
    const original = originals.get(JSON.stringify([vote.rater, vote.repeat_of]));
    return original ? [[original, vote] as const] : [];
  });
}

/** Returns the preferred side; ties and "both bad" prefer none. */
const preferred = ({ outcome }: PairVote) => (outcome === 'both_bad' ? 'tie' : outcome);

/** @param votes on pairs, in order */
export const reliabilityOf = (votes: readonly PairVote[]): readonly Reliability[] =>
  eachRater(votes).map(({ rater, votes: own }) => {
    const repeated = repeatedBy(own, ({ pair }) => pair);
    const untied = own.filter(({ outcome }) => outcome === 'first' || outcome === 'second');
    return {
      rater,
      votes: own.length,
      seconds: quantile(own.map(({ seconds }) => seconds), 0.5), // oxfmt-ignore
      hasty: own.filter(({ seconds }) => seconds < HASTY_SECONDS).length,
      self_consistency: shareOf(
        repeated.filter(([first, again]) => preferred(first) === preferred(again)).length,
        repeated.length,
      ),
      chose_first: shareOf(untied.filter(({ outcome, shown_first }) => outcome === shown_first).length, untied.length),
    };
  });

/**
 * Measures the boundary task, the reward model's own, for everyone and each rater. Repeats measure the rater only.
 * RoFT (arXiv 2010.03070, 2212.12672) found people right to the sentence in 23.4 % of cases, and late in most others.
 */
export const boundaryFigures = (votes: readonly BoundaryVote[]): readonly BoundaryFigures[] =>
  eachRater(votes).flatMap(({ rater, votes: own }) => {
    const answers = own.filter(({ repeat_of }) => repeat_of === undefined);
    if (answers.length === 0) return [];
    const late = answers.map((vote) => (vote.said ?? vote.words) - (vote.truth ?? vote.words));
    const shares = late.map((words, at) => words / (answers[at]?.words ?? Number.NaN));
    return [
      {
        rater,
        answers: answers.length,
        error: mean(shares.map(Math.abs)),
        error_interval: meanInterval(shares.map(Math.abs)),
        error_words: mean(late.map(Math.abs)),
        bias: mean(shares),
        bias_interval: meanInterval(shares),
        exact: shareOf(answers.filter((vote) => vote.said === vote.truth).length, answers.length),
        // Evenly after the first word, after the second, …, or never.
        exact_by_chance: mean(answers.map(({ words }) => 1 / words)),
        again: againOf(own),
      },
    ];
  });

function againOf(votes: readonly BoundaryVote[]): BoundaryFigures['again'] {
  const apart = repeatedBy(votes, ({ passage }) => passage).map(([first, again]) =>
    Math.abs((again.said ?? again.words) - (first.said ?? first.words)),
  );
  if (apart.length === 0) return null;
  return { same: shareOf(apart.filter((words) => words === 0).length, apart.length), words_apart: mean(apart) };
}
