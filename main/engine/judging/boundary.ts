/**
 * Measures how exactly people find the word at which a passage stops being natural: the reward model's own task.
 * RoFT (arXiv 2010.03070, 2212.12672) found people right to the sentence in 23.4 % of cases, and late in most others.
 */
import type { BoundaryFigures } from '../../../shared/judging.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import { eachRater, repeatedBy, shareOf } from './reliability.js';
import type { BoundaryVote } from './votes.js';

/** Returns everyone together, then each rater if there are several. Repeats measure the rater only. */
export const boundaryFigures = (votes: readonly BoundaryVote[]): readonly BoundaryFigures[] =>
  eachRater(votes).flatMap(({ rater, votes: own }) => {
    const answers = own.filter(({ repeat_of }) => repeat_of === undefined);
    if (answers.length === 0) return [];
    const late = answers.map(({ said, truth, words }) => (said ?? words) - (truth ?? words));
    const shares = late.map((words, at) => words / (answers[at]?.words ?? Number.NaN));
    return [
      {
        rater,
        answers: answers.length,
        error: mean(shares.map(Math.abs)),
        error_interval: meanInterval(shares.map(Math.abs)),
        error_words: mean(late.map(Math.abs)),
        bias: mean(shares),
        bias_interval: meanInterval(shares),
        exact: shareOf(answers.filter(({ said, truth }) => said === truth).length, answers.length),
        // Evenly after the first word, after the second, …, or never.
        exact_by_chance: mean(answers.map(({ words }) => 1 / words)),
        again: againOf(own),
      },
    ];
  });

function againOf(votes: readonly BoundaryVote[]): BoundaryFigures['again'] {
  const apart = repeatedBy(votes, ({ passage }) => passage).map(([first, again]) =>
    Math.abs((again.said ?? again.words) - (first.said ?? first.words)),
  );
  if (apart.length === 0) return null;
  return { same: shareOf(apart.filter((words) => words === 0).length, apart.length), words_apart: mean(apart) };
}
