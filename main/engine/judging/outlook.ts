/** Predicts whether and when more votes decide a comparison, exactly, over every path that the votes may take. */
import { MAX_VOTES } from '../../../shared/judging.js';
import { DECISIVE, logEvidence, MIXTURE } from './evidence.js';

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
export function outlook(wins: number, losses: number, neutral: number): Outlook {
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
