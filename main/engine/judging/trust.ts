/** How far votes can be trusted: what repeats, known answers, sides and several raters say. It throws nothing away. */
import type { Share, Trust } from '../../../shared/judging.js';
import { quantile, shareInterval } from '../statistics/statistics.js';
import { krippendorffAlpha } from './alpha.js';
import type { PairVote } from './votes.js';

/** @param yes of `of` */
export const shareOf = (yes: number, of: number): Share => ({
  yes,
  of,
  share: of === 0 ? null : yes / of,
  interval: shareInterval(yes, of),
});

/** The version that a vote prefers; null: neither. */
const preferred = ({ outcome, first, second }: PairVote): string | null =>
  outcome === 'first' ? first : outcome === 'second' ? second : null;

function reliability(votes: readonly PairVote[]): Trust['all'] {
  const originals = new Map(
    votes.filter(({ repeat_of }) => repeat_of === undefined).map((vote) => [`${vote.rater}\n${vote.pair}`, vote]),
  );
  const repeated = votes.flatMap((vote) => {
    const original = vote.repeat_of === undefined ? undefined : originals.get(`${vote.rater}\n${vote.repeat_of}`);
    return original ? [preferred(original) === preferred(vote)] : [];
  });
  const checked = votes.filter(({ check }) => check !== undefined);
  const untied = votes.filter((vote) => preferred(vote) !== null && vote.check === undefined);
  const left = shareOf(untied.filter(({ outcome, shown_first }) => outcome === shown_first).length, untied.length);
  return {
    votes: votes.length,
    seconds: votes.length === 0 ? null : quantile(votes.map(({ seconds }) => seconds), 0.5), // oxfmt-ignore
    self_agreement: shareOf(repeated.filter(Boolean).length, repeated.length),
    known_right: shareOf(checked.filter(({ outcome, check }) => outcome === check).length, checked.length),
    left,
    position_bias: left.interval !== null && (left.interval.low > 0.5 || left.interval.high < 0.5),
  };
}

/** @param votes all that were cast, in order; of a rater's several on one pair the first counts for agreement */
export function trustIn(votes: readonly PairVote[]): Trust {
  const raters = [...new Set(votes.map(({ rater }) => rater))];
  const said = new Map<string, Map<string, number>>();
  for (const vote of votes) {
    if (vote.repeat_of !== undefined || vote.check !== undefined) continue;
    const version = preferred(vote);
    // By name, so that it does not matter which was called the first.
    const value = version === null ? 0.5 : version === [vote.first, vote.second].sort()[0] ? 1 : 0;
    const unit = said.get(vote.pair) ?? new Map<string, number>();
    if (!unit.has(vote.rater)) unit.set(vote.rater, value);
    said.set(vote.pair, unit);
  }
  const units = [...said.values()].map((unit) => [...unit.values()]).filter((values) => values.length > 1);
  return {
    all: reliability(votes),
    raters: raters.map((rater) => ({ rater, ...reliability(votes.filter((vote) => vote.rater === rater)) })),
    alpha: krippendorffAlpha(units, 'nominal'),
    alpha_pairs: units.length,
  };
}
