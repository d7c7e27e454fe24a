/**
 * What is still to come: the exact probability of every path that the votes may take until the evidence decides, one untied
 * vote after another. What a study needs (design.ts) and how many more votes this one does (sequential.ts) are read from it.
 */
import { DECISIVE, logEvidence } from './evidence.js';

/** Probability that one more vote is for the first, after so many for each. */
export type Chance = (wins: number, losses: number) => number;

/** What happens at one number of votes. */
export interface Step {
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
  let open = new Map([[from.wins, 1]]);
  let [first, second] = [0, 0];
  for (let votes = from.wins + from.losses + 1; votes <= most && open.size > 0; votes++) {
    const next = new Map<number, number>();
    const arrive = (wins: number, probability: number) => {
      const losses = votes - wins;
      if (logEvidence(wins, losses) < decisive) next.set(wins, (next.get(wins) ?? 0) + probability);
      else if (wins > losses) first += probability;
      else second += probability;
    };
    for (const [wins, probability] of open) {
      const up = chance(wins, votes - 1 - wins);
      arrive(wins + 1, probability * up);
      arrive(wins, probability * (1 - up));
    }
    open = next;
    yield { votes, first, second };
  }
}
