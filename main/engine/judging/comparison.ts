/**
 * Compares two versions by votes, with a result that is valid after every vote.
 * Only untied votes are evidence: between equals each is for the first with probability 1/2, however many ties there are.
 */
import type { Comparison } from '../../../shared/judging.js';
import { DECISIVE, logEvidence, shareInterval } from './evidence.js';
import { outlook } from './outlook.js';
import { independentVotes, type PairVote } from './votes.js';

/** Below this probability of ever being decided, more votes are not worth casting. */
const HOPELESS = 0.05;

/**
 * @param cast votes on the same two versions, in the order in which they were cast; dependent ones are left out
 * @throws RangeError if they differ in first or second: see votesBetween
 */
export function compare(cast: readonly PairVote[]): Comparison {
  const { votes } = independentVotes(cast);
  const [{ first, second } = { first: '', second: '' }] = votes;
  const counts = { first: 0, second: 0, tie: 0, both_bad: 0 };
  let decided: Comparison['decided'] = null;
  let decided_at: number | null = null;
  let [low, high] = [0, 1];
  for (const [at, vote] of votes.entries()) {
    if (vote.first !== first || vote.second !== second) throw new RangeError(`a vote on ${vote.first}, ${vote.second}`);
    counts[vote.outcome]++;
    if (vote.outcome === 'tie' || vote.outcome === 'both_bad') continue;
    // A share that some vote has ruled out stays ruled out.
    const now = shareInterval(counts.first, counts.second);
    [low, high] = [Math.max(low, now.low), Math.min(high, now.high)];
    if (decided === null && logEvidence(counts.first, counts.second) >= Math.log(DECISIVE)) {
      decided = counts.first > counts.second ? 'first' : 'second';
      decided_at = at + 1;
    }
  }
  const { first: wins, second: losses, tie: ties, both_bad } = counts;
  const ahead = decided === null ? outlook(wins, losses, ties + both_bad) : { votes_left: null, chance: 1 };
  return {
    wins,
    losses,
    ties,
    both_bad,
    e_value: Math.exp(logEvidence(wins, losses)),
    decided,
    decided_at,
    share: wins + losses === 0 ? null : wins / (wins + losses),
    // Every share is ruled out in one study of twenty at most; then the last vote's interval is all there is.
    interval: low <= high ? { low, high } : shareInterval(wins, losses),
    ...ahead,
    hopeless: ahead.chance < HOPELESS,
  };
}
