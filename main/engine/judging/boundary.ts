/**
 * Where does a passage stop being natural? The task of the reward model (specification 3), put to people: so that a person,
 * the reward model and the critic stand on one axis. RoFT (arXiv 2010.03070, 2212.12672) found people right to the sentence
 * in 23.4 % of cases, against 10 % by chance, and too late in most others.
 */
import type { BoundaryJudge } from '../../../shared/judging.js';
import { calibrationTable, mean, meanAbsoluteError, meanInterval, r2 } from '../statistics/statistics.js';
import { shareOf } from './trust.js';
import type { BoundaryVote } from './votes.js';

/** What a model makes of a passage that people judge as well. */
export interface BoundaryOpinion {
  /** `reward_model_v2`, `critic_model_v1`, … */
  readonly judge: string;
  readonly passage: string;
  /** The share of the passage that it takes for natural, in [0, 1]: what the reward model is trained to say. */
  readonly natural: number;
}

/** People together, in a list of judges. */
const PEOPLE = 'people';

interface Answer {
  readonly said: number | null;
  /** Share of the passage said to be natural. */
  readonly natural: number;
  readonly truth: number | null;
  readonly words: number;
}

const naturalShare = (index: number | null, words: number): number => (index === null ? 1 : index / words);

/**
 * People together, each rater where there are several, then the models, in the order of their first opinion. A model is
 * asked about the passages that people judged, each once, so that errors can be compared; other opinions do not count.
 */
export function boundaryJudges(
  all: readonly BoundaryVote[],
  opinions: readonly BoundaryOpinion[] = [],
): readonly BoundaryJudge[] {
  const votes = all.filter(({ repeat_of }) => repeat_of === undefined);
  const answers = (of: readonly BoundaryVote[]) =>
    of.map(({ said, truth, words }): Answer => ({ said, natural: naturalShare(said, words), truth, words }));
  const raters = [...new Set(votes.map(({ rater }) => rater))];
  const passages = new Map(votes.map((vote) => [vote.passage, vote]));
  const models = [...new Set(opinions.map(({ judge }) => judge))];
  const rows: [string, readonly Answer[]][] = [[PEOPLE, answers(votes)]];
  if (raters.length > 1) {
    for (const rater of raters) rows.push([rater, answers(votes.filter((vote) => vote.rater === rater))]);
  }
  for (const judge of models) {
    const own = new Map(
      opinions.filter((each) => each.judge === judge).map(({ passage, natural }) => [passage, natural]),
    );
    const said = [...passages].flatMap(([passage, { truth, words }]): Answer[] => {
      const natural = own.get(passage);
      if (natural === undefined || !Number.isFinite(natural)) return [];
      // The word that it is nearest to; the first is natural always.
      const index = Math.max(1, Math.round(natural * words));
      return [{ said: index >= words ? null : index, natural, truth, words }];
    });
    rows.push([judge, said]);
  }
  const again = (judge: string) => agreement(judge === PEOPLE ? all : all.filter(({ rater }) => rater === judge));
  return rows.flatMap(([judge, said]) =>
    said.length === 0 ? [] : [{ ...judgeOf(judge, said), again: models.includes(judge) ? null : again(judge) }],
  );
}

/** How often raters said the same of a passage that they were shown again, and how many words lay between: their ceiling. */
function agreement(votes: readonly BoundaryVote[]): BoundaryJudge['again'] {
  const first = new Map(votes.map((vote) => [`${vote.rater}\n${vote.passage}`, vote]));
  const apart = votes.flatMap(({ rater, repeat_of, said, words }) => {
    const before = repeat_of === undefined ? undefined : first.get(`${rater}\n${repeat_of}`);
    return before ? [Math.abs((said ?? words) - (before.said ?? words))] : [];
  });
  if (apart.length === 0) return null;
  return { same: shareOf(apart.filter((words) => words === 0).length, apart.length), words_apart: mean(apart) };
}

function judgeOf(judge: string, answers: readonly Answer[]): Omit<BoundaryJudge, 'again'> {
  const said = answers.map(({ natural }) => natural);
  const truth = answers.map(({ truth, words }) => naturalShare(truth, words));
  const late = said.map((value, at) => value - (truth[at] ?? Number.NaN));
  return {
    judge,
    answers: answers.length,
    error: meanAbsoluteError(said, truth),
    error_interval: meanInterval(late.map(Math.abs)),
    error_words: mean(late.map((value, at) => Math.abs(value) * (answers[at]?.words ?? Number.NaN))),
    bias: mean(late),
    bias_interval: meanInterval(late),
    exact: shareOf(answers.filter((answer) => answer.said === answer.truth).length, answers.length),
    // After the first word, after the second, …, or never.
    exact_by_chance: mean(answers.map(({ words }) => 1 / words)),
    r2: r2(said, truth),
    calibration: calibrationTable(said, truth, 5).flatMap(({ low, high, count, meanPredicted, meanTrue }) =>
      meanPredicted === null || meanTrue === null ? [] : [{ low, high, count, said: meanPredicted, truth: meanTrue }],
    ),
  };
}
