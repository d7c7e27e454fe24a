/** Assembles the report of a project's votes, from the votes and from what the project measured of its versions. */
import type { Alarm, Comparison } from '../../../shared/judging.js';
import type { JudgingReport } from '../../../shared/judging-report.js';
import type { Interval } from '../../../shared/reports/report.js';

import { compare } from './comparison.js';
import { boundaryFigures, reliabilityOf } from './reliability.js';
import { independentVotes, votesBetween, type BoundaryVote, type PairVote } from './votes.js';

interface ReportInput extends Pick<JudgingReport, 'project' | 'made_at' | 'verisim' | 'versions' | 'writing'> {
  /** All votes on pairs, in order. */
  readonly votes: readonly PairVote[];
  readonly boundary: readonly BoundaryVote[];
  /** Answers of earlier versions that no longer count. */
  readonly ignored: number;
  /** Change of the mean reward from the previous version to the newest. */
  readonly reward_change: Interval | null;
}

export function judgingReport({ votes, boundary, ignored, reward_change, ...input }: ReportInput): JudgingReport {
  const { votes: pairs, repeats, again } = independentVotes(votes);
  const [previous, newest] = input.versions.filter((name) => name !== 'natural').slice(-2);
  return {
    format: 'verisim-ratings',
    format_version: 2,
    ...input,
    votes: { pairs: pairs.length, repeats, again, boundary: boundary.length, ignored },
    comparisons: comparisonsOf(input.versions, votes),
    reliability: reliabilityOf(votes),
    boundary: boundaryFigures(boundary),
    alarm: newest && previous ? alarmIn(votes, { newest, previous }, reward_change) : null,
  };
}

/** Compares every two versions with votes: the newest first, and each with the previous version first. */
function comparisonsOf(versions: readonly string[], votes: readonly PairVote[]): JudgingReport['comparisons'] {
  return [...versions.entries()].reverse().flatMap(([at, first]) =>
    versions
      .slice(0, at)
      .reverse()
      .map((second) => ({ first, second, between: votesBetween(votes, first, second) }))
      .filter(({ between }) => independentVotes(between).votes.length > 0)
      .map(({ between, ...names }) => ({ ...names, comparison: compare(between) })),
  );
}

function alarmIn(
  votes: readonly PairVote[],
  names: { readonly newest: string; readonly previous: string },
  reward: Interval | null,
): JudgingReport['alarm'] {
  const alarm = alarmOf(reward, compare(votesBetween(votes, names.newest, names.previous)));
  return alarm && { alarm, ...names };
}

/**
 * Reports when the reward rises and people see no improvement: training no longer aims at what readers value.
 * @param reward 95 % interval of the change of the mean reward from the previous version to the newest; null: unknown
 * @param people the newest version against the previous one
 */
export function alarmOf(reward: Interval | null, people: Comparison): Alarm | null {
  if (reward === null || reward.low <= 0) return null;
  if (people.decided === 'second' || people.interval.high < 0.5) return 'people_say_worse';
  return people.decided === null && people.hopeless ? 'people_see_no_difference' : null;
}
