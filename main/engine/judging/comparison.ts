/**
 * Compares two versions by votes, with a result that is valid after every vote.
 *
 * Evidence against a share p is the e-value of a beta mixture: E(p) = ∫ x^w (1 − x)^l dBeta(x; a, a) / (p^w (1 − p)^l) after w
 * wins and l losses. If each vote is a win with probability p, E(p) is a martingale that starts at 1; by Ville's inequality (1939) it
 * ever reaches 20 with probability at most 1/20, however often one looks. Only untied votes count: between equals each is a win with
 * probability 1/2, however many ties there are. Mixture: Robbins (1970). Survey: Ramdas et al., "Game-theoretic statistics and
 * safe anytime-valid inference", Statistical Science 38 (2023).
 */
import { MAX_VOTES, moreVotes, type Comparison, type ProjectStop } from '../../../shared/judging.js';
import { independentVotes, votesBetween, type PairVote } from './votes.js';

/** Parameter a of the mixture Beta(a, a): sensitive to differences that 20 to 200 votes can show. */
const MIXTURE = 5;

/** E-value that decides: two equal versions are ever called different with probability at most 1/20. */
const DECISIVE = 20;

/** Returns a function for log(start) + log(start + 1) + … of n terms, computed once. */
function logRising(start: number): (n: number) => number {
  const sums = [0];
  return (n) => {
    for (let k = sums.length; k <= n; k++) sums.push((sums[k - 1] ?? 0) + Math.log(start + k - 1));
    return sums[n] ?? Number.NaN;
  };
}

const one = logRising(MIXTURE);
const both = logRising(2 * MIXTURE);

/** Computes k log q, with 0 log 0 = 0. */
const power = (k: number, q: number): number => (k === 0 ? 0 : k * Math.log(q));

/** Computes log E(p). @param p in [0, 1]; 1/2 means equally good */
export const logEvidence = (wins: number, losses: number, p = 0.5): number =>
  one(wins) + one(losses) - both(wins + losses) - power(wins, p) - power(losses, 1 - p);

/**
 * Computes the shares p with E(p) < 20: a 95 % confidence sequence.
 * log E is convex in p with its minimum, below 0, at the observed share, so bisection finds both ends.
 * @returns low and high in [0, 1]; all of it without votes
 */
export function shareInterval(wins: number, losses: number): { readonly low: number; readonly high: number } {
  const share = wins + losses === 0 ? 0.5 : wins / (wins + losses);
  const decisive = Math.log(DECISIVE);
  const end = (outer: number): number => {
    let [inside, outside] = [share, outer];
    if (logEvidence(wins, losses, outside) < decisive) return outer;
    for (let round = 0; round < 60; round++) {
      const middle = (inside + outside) / 2;
      if (logEvidence(wins, losses, middle) < decisive) inside = middle;
      else outside = middle;
    }
    return outside;
  };
  return { low: end(0), high: end(1) };
}

/** Probability that the next vote is for the first, after these votes. */
type Chance = (wins: number, losses: number) => number;

interface Step {
  /** Untied votes so far, including those before the walk. */
  readonly votes: number;
  /** Probability that the comparison is decided by now, for each side. */
  readonly first: number;
  readonly second: number;
}

/**
 * Walks from undecided votes to `most` untied votes, one at a time, and yields after each.
 * Undecided states grow with the square root of the votes, so this is fast.
 */
export function* walk(chance: Chance, most: number, from = { wins: 0, losses: 0 }): Generator<Step> {
  const decisive = Math.log(DECISIVE);
  // Probabilities of the undecided states by wins, starting at `least`.
  let [least, open] = [from.wins, Float64Array.of(1)];
  let [first, second] = [0, 0];
  for (let votes = from.wins + from.losses + 1; votes <= most && open.length > 0; votes++) {
    const next = new Float64Array(open.length + 1);
    for (let at = 0; at < open.length; at++) {
      const [wins, probability] = [least + at, open[at] ?? 0];
      const up = chance(wins, votes - 1 - wins);
      next[at + 1] = (next[at + 1] ?? 0) + probability * up;
      next[at] = (next[at] ?? 0) + probability * (1 - up);
    }
    // Decided states lie at both ends.
    const isDecided = (at: number) => logEvidence(least + at, votes - least - at) >= decisive;
    let [low, high] = [0, next.length];
    while (low < high && 2 * (least + low) < votes && isDecided(low)) second += next[low++] ?? 0;
    while (high > low && 2 * (least + high - 1) > votes && isDecided(high - 1)) first += next[--high] ?? 0;
    open = next.subarray(low, high);
    least += low;
    yield { votes, first, second };
  }
}

interface Outlook {
  /** Votes of all kinds after which a decision is as likely as not; null: beyond MAX_VOTES. */
  readonly votes_left: number | null;
  /** Probability that MAX_VOTES decide the comparison. */
  readonly chance: number;
}

/**
 * Predicts with the mixture's own probabilities, (a + wins) / (2a + votes), so a few votes are not taken at face value.
 * @param neutral ties and "both bad"; they are expected to continue at the same rate
 */
function outlook(wins: number, losses: number, neutral: number): Outlook {
  const untied = wins + losses;
  const untiedShare = (untied + 1) / (untied + neutral + 1);
  const most = untied + Math.floor(Math.max(0, MAX_VOTES - untied - neutral) * untiedShare);
  const next = (w: number, l: number) => (MIXTURE + w) / (2 * MIXTURE + w + l);
  let votes_left: number | null = null;
  let chance = 0;
  for (const { votes, first, second } of walk(next, most, { wins, losses })) {
    chance = first + second;
    if (votes_left === null && chance >= 0.5) votes_left = Math.ceil((votes - untied) / untiedShare);
  }
  return { votes_left, chance };
}

/** Below this probability of ever being decided, more votes are not worth casting. */
const HOPELESS = 0.05;

/**
 * @param cast votes on the same two versions, in the order in which they were cast; dependent ones are left out
 * @throws RangeError if they differ in first or second: see votesBetween
 */
export function compare(cast: readonly PairVote[]): Comparison {
  const { votes, hasty } = independentVotes(cast);
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
    hasty,
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

/** Applies `stop_when: people`: the newest version against the previous one. @param votes on any versions, in order */
export function projectStop(votes: readonly PairVote[], newest: string, previous: string): ProjectStop {
  const comparison = compare(votesBetween(votes, newest, previous));
  const { decided, hopeless } = comparison;
  if (decided === 'first') return { verdict: 'better' };
  if (decided === 'second') return { verdict: 'not_better', because: 'worse' };
  if (hopeless) return { verdict: 'not_better', because: 'no_difference' };
  return { verdict: 'waiting', votes_left: moreVotes(comparison) };
}
