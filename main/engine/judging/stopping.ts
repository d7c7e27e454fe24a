/** What a project does with votes: go on, end, or wait for more; and the alarm where people and the reward model differ. */
import { MAX_VOTES, type Alarm, type Comparison, type ProjectStop } from '../../../shared/judging.js';
import type { Interval } from '../../../shared/reports/report.js';
import { compare } from './sequential.js';
import { votesBetween, type PairVote } from './votes.js';

/**
 * The rule of `stop_when: people`: the newest version against the one before it.
 * @param votes of all kinds, on any versions, in the order in which they were cast
 */
export function projectStop(votes: readonly PairVote[], newest: string, previous: string): ProjectStop {
  const between = votesBetween(votes, newest, previous);
  const key = JSON.stringify(between.map(({ pair, outcome, repeat_of, check }) => [pair, outcome, repeat_of, check]));
  const known = found.get(key);
  if (known) return known;
  const stop = stopBy(compare(between));
  if (found.size >= MOST_FOUND) found.clear();
  found.set(key, stop);
  return stop;
}

/** Whoever lists projects asks this of the same votes again and again, and every path that is left is walked for it. */
const found = new Map<string, ProjectStop>();
const MOST_FOUND = 64;

function stopBy(comparison: Comparison): ProjectStop {
  if (comparison.decided === 'first') return { verdict: 'better' };
  if (comparison.decided === 'second') return { verdict: 'not_better', because: 'worse' };
  if (comparison.hopeless) return { verdict: 'not_better', because: 'no_difference' };
  const { wins, losses, ties, both_bad, votes_left } = comparison;
  return { verdict: 'waiting', votes_left: votes_left ?? MAX_VOTES - (wins + losses + ties + both_bad) };
}

/**
 * The reward model says better, people do not: what is being trained for is no longer what people value.
 * @param reward change of the mean reward from the previous version to the newest, 95 %; null: not known
 * @param people the newest against the previous
 */
export function alarmOf(reward: Interval | null, people: Comparison): Alarm | null {
  if (reward === null || reward.low <= 0) return null;
  if (people.decided === 'second' || people.interval.high < 0.5) return 'people_say_worse';
  return people.decided === null && people.hopeless ? 'people_see_no_difference' : null;
}
