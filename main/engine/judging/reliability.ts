/** Measures how consistent raters are. Nothing is left out because of it: the figures appear next to the result. */
import { EVERYONE, type Reliability, type Share } from '../../../shared/judging.js';
import { quantile, shareInterval } from '../statistics/statistics.js';
import type { PairVote } from './votes.js';

/** @param yes of `of` */
export const shareOf = (yes: number, of: number): Share => ({
  yes,
  of,
  share: of === 0 ? null : yes / of,
  interval: shareInterval(yes, of),
});

/** Returns everyone together, then each rater if there are several. */
export function eachRater<V extends { readonly rater: string }>(
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
export function repeatedBy<V extends { readonly rater: string; readonly repeat_of?: string | undefined }>(
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
      self_consistency: shareOf(
        repeated.filter(([first, again]) => preferred(first) === preferred(again)).length,
        repeated.length,
      ),
      chose_first: shareOf(untied.filter(({ outcome, shown_first }) => outcome === shown_first).length, untied.length),
    };
  });
