/**
 * Votes on pairs and on boundaries, and which of them count as independent evidence.
 * Versions are named by their artefacts (`base_model_v1`, `natural`), raters by a name of their own choice.
 */
import { HASTY_SECONDS, type PairOutcome } from '../../../shared/judging.js';

/** One vote on one pair: the same prompt continued by two versions. */
export interface PairVote {
  /** Id of the pair; a repeat has its own. */
  readonly pair: string;
  /** The versions as compared, not as shown; `outcome` refers to these. */
  readonly first: string;
  readonly second: string;
  readonly outcome: PairOutcome;
  readonly rater: string;
  /** From the pair's appearance to the vote. */
  readonly seconds: number;
  /** Which version was on the left, or above. */
  readonly shown_first: 'first' | 'second';
  /** The pair that this one repeats with swapped sides. */
  readonly repeat_of?: string;
}

/** One answer to the question where a passage stops being natural. */
export interface BoundaryVote {
  readonly passage: string;
  /** The version that wrote the second part, or `natural`. */
  readonly source: string;
  /** Number of natural words before the first generated one; null: natural to the end. */
  readonly said: number | null;
  readonly truth: number | null;
  /** Words of the passage. */
  readonly words: number;
  /** The passage that this one repeats. */
  readonly repeat_of?: string;
  readonly rater: string;
  readonly seconds: number;
}

/**
 * Selects the votes that a test may count as independent: the first on each pair that was read, without repeats.
 * The time needed to read is fixed beforehand and does not depend on the outcome, so leaving votes out keeps tests valid.
 * Two people agree on one pair more often than on two pairs; counting both would make intervals too narrow.
 * @param votes in the order in which they were cast
 */
export function independentVotes<V extends PairVote>(
  votes: readonly V[],
): { readonly votes: readonly V[]; readonly hasty: number; readonly repeats: number; readonly again: number } {
  const seen = new Set<string>();
  const read = votes.filter(({ seconds }) => seconds >= HASTY_SECONDS);
  const originals = read.filter(({ repeat_of }) => repeat_of === undefined);
  const independent = originals.filter(({ pair }) => !seen.has(pair) && seen.add(pair));
  return {
    votes: independent,
    hasty: votes.length - read.length,
    repeats: read.length - originals.length,
    again: originals.length - independent.length,
  };
}

export const otherSide = { first: 'second', second: 'first' } as const;

/** Returns the vote with `first` and `second` exchanged. */
const turned = (vote: PairVote): PairVote => ({
  ...vote,
  first: vote.second,
  second: vote.first,
  outcome: vote.outcome === 'first' || vote.outcome === 'second' ? otherSide[vote.outcome] : vote.outcome,
  shown_first: otherSide[vote.shown_first],
});

/** Selects the votes on two versions, each turned so that `first` is the first. */
export const votesBetween = (votes: readonly PairVote[], first: string, second: string): readonly PairVote[] =>
  votes.flatMap((vote) => {
    if (vote.first === first && vote.second === second) return [vote];
    return vote.first === second && vote.second === first ? [turned(vote)] : [];
  });
