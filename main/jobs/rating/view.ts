/** What the window and the terminal show while somebody rates: what waits, how far it is, and what it comes to so far. */
import type { RatingsView } from '../../../shared/contract/ratings.js';
import type { Comparison } from '../../../shared/judging.js';
import { compare } from '../../engine/judging/sequential.js';
import { votesBetween } from '../../engine/judging/votes.js';
import type { Desk } from './desk.js';
import { comparisonsOf, passageCounts, type Asked } from './questions.js';
import { pairVotes } from './results.js';

/** So many are sent ahead: the next one is there before it is wanted, and some can be left out. */
const AHEAD = 40;

/** @param folder the project's */
export function ratingsView(folder: string, asked: Asked, desk: Desk): RatingsView {
  const { waiting, left, rated } = desk.now(AHEAD);
  return {
    task: asked.task,
    against: asked.against,
    comparisons: comparisonsOf(folder),
    waiting,
    left,
    rated,
    ...passageCounts(folder, asked),
    comparison: comparisonSoFar(folder, asked),
  };
}

/** The newest generator against what it is compared with. */
function comparisonSoFar(folder: string, { task, against }: Asked): Comparison | null {
  const found = task === 'pair' ? comparisonsOf(folder).find((one) => one.against === against) : undefined;
  return found ? compare(votesBetween(pairVotes(folder), found.first, found.second)) : null;
}
