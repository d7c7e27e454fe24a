/**
 * What people said: votes on pairs, and on where a passage stops being natural. Everything in this folder is computed
 * from these rows; `people` are named by an id of their own choosing, versions by the names of their artefacts.
 */
import type { PairOutcome } from '../../../shared/judging.js';

/** One vote on one pair: the same prompt continued by two versions. */
export interface PairVote {
  /** Id of the pair; a repeat has an id of its own. */
  readonly pair: string;
  /** Id of the prompt, where several pairs have the same: what they say is not independent. */
  readonly prompt?: string;
  /** The versions as compared (base_model_v1, natural, …), not as shown: `outcome` speaks of these. */
  readonly first: string;
  readonly second: string;
  readonly outcome: PairOutcome;
  readonly rater: string;
  /** From the pair's appearance to the vote. */
  readonly seconds: number;
  /** Which of the two stood on the left, or above. */
  readonly shown_first: 'first' | 'second';
  /** The pair that it repeats, with its sides swapped. */
  readonly repeat_of?: string;
  /** The known right answer, where there is one. */
  readonly check?: 'first' | 'second';
}

/** Where somebody said that a passage stops being natural. */
export interface BoundaryVote {
  readonly passage: string;
  /** Who wrote its second part: a version, or `natural`. */
  readonly source: string;
  /** How many words are natural before the first that is not, from 1; null: it is natural to the end. */
  readonly said: number | null;
  readonly truth: number | null;
  /** Words of the passage. */
  readonly words: number;
  /** The passage that was shown again: it speaks of the rater alone. */
  readonly repeat_of?: string;
  readonly rater: string;
  readonly seconds: number;
}

/** What is no independent vote on a pair, counted: it speaks of the rater, and is reported there. */
export interface SetAside {
  /** The same pair once more, sides swapped. */
  readonly repeats: number;
  /** Pairs with a known answer. */
  readonly checks: number;
  /** A pair that had a vote already, of this rater or another: a pair counts once. */
  readonly again: number;
}

/**
 * The votes that a test may count as independent: the first on each pair, without repeats and checks. (Two people's
 * votes on one pair agree more often than two pairs do; counted as two they would make an interval too narrow.)
 * @param votes in the order in which they were cast
 */
export function independentVotes(votes: readonly PairVote[]): {
  readonly votes: readonly PairVote[];
  readonly set_aside: SetAside;
} {
  const seen = new Set<string>();
  const kept: PairVote[] = [];
  const set_aside = { repeats: 0, checks: 0, again: 0 };
  for (const vote of votes) {
    if (vote.repeat_of !== undefined) set_aside.repeats++;
    else if (vote.check !== undefined) set_aside.checks++;
    else if (seen.has(vote.pair)) set_aside.again++;
    else {
      seen.add(vote.pair);
      kept.push(vote);
    }
  }
  return { votes: kept, set_aside };
}

/** Whether it says something of the versions: repeats and known answers say it of the rater. */
export const isOfVersions = ({ repeat_of, check }: PairVote): boolean => repeat_of === undefined && check === undefined;

export const otherSide = { first: 'second', second: 'first' } as const;

/** The same vote with `first` and `second` exchanged. */
export function turned(vote: PairVote): PairVote {
  const { first, second, outcome, shown_first, check } = vote;
  return {
    ...vote,
    first: second,
    second: first,
    outcome: outcome === 'first' || outcome === 'second' ? otherSide[outcome] : outcome,
    shown_first: otherSide[shown_first],
    ...(check !== undefined && { check: otherSide[check] }),
  };
}

/** The votes between two versions, each turned so that `first` is the first. */
export const votesBetween = (votes: readonly PairVote[], first: string, second: string): readonly PairVote[] =>
  votes.flatMap((vote) => {
    if (vote.first === first && vote.second === second) return [vote];
    return vote.first === second && vote.second === first ? [turned(vote)] : [];
  });
