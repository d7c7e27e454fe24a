/**
 * What is still to come: the exact probability of every path that the votes may take until the evidence decides, one untied
 * vote after another. What a study needs (design.ts) and how many more votes this one does (sequential.ts) are read from it.
 */
import { DECISIVE, logEvidence } from './evidence.js';

/** Probability that one more vote is for the first, after so many for each. */
type Chance = (wins: number, losses: number) => number;

/** What happens at one number of votes. */
interface Step {
  /** Untied votes by then, those before the walk included. */
  readonly votes: number;
  /** Probability of having been decided by then, for each. */
  readonly first: number;
  readonly second: number;
}

/**
 * Walks from (wins, losses), which is not decided, until `most` untied votes; yields after each.
 * The states that are not decided are few (their number grows with the root of the votes), so this is quick.
 */
export function* walk(chance: Chance, most: number, from = { wins: 0, losses: 0 }): Generator<Step> {
  const decisive = Math.log(DECISIVE);
  // Probabilities of the states that are open, by wins, from `least` on.
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
    // What is decided lies at the two ends.
    const decided = (at: number) => logEvidence(least + at, votes - least - at) >= decisive;
    let [low, high] = [0, next.length];
    while (low < high && 2 * (least + low) < votes && decided(low)) second += next[low++] ?? 0;
    while (high > low && 2 * (least + high - 1) > votes && decided(high - 1)) first += next[--high] ?? 0;
    open = next.subarray(low, high);
    least += low;
    yield { votes, first, second };
  }
}
