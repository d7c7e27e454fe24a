/** Decides from votes whether a project trains another cycle, ends or waits; and when people contradict the reward. */
import { MAX_VOTES, type Alarm, type Comparison, type ProjectStop } from '../../../shared/judging.js';
import type { Interval } from '../../../shared/reports/report.js';
import { compare } from './comparison.js';
import { votesBetween, type PairVote } from './votes.js';

/** Applies `stop_when: people`: the newest version against the previous one. @param votes on any versions, in order */
export function projectStop(votes: readonly PairVote[], newest: string, previous: string): ProjectStop {
  const { decided, hopeless, wins, losses, ties, both_bad, votes_left } = compare(
    votesBetween(votes, newest, previous),
  );
  if (decided === 'first') return { verdict: 'better' };
  if (decided === 'second') return { verdict: 'not_better', because: 'worse' };
  if (hopeless) return { verdict: 'not_better', because: 'no_difference' };
  return { verdict: 'waiting', votes_left: votes_left ?? MAX_VOTES - (wins + losses + ties + both_bad) };
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
