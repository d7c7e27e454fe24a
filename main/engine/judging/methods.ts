/** The methods paragraph: who judged what, how blind, until when, and how sure the figures are. For a paper, with sources. */
import { MAX_VOTES, type BoundaryJudge, type Comparison, type Share, type Trust } from '../../../shared/judging.js';
import { DECISIVE, MIXTURE } from './evidence.js';
import type { BoundaryVote, PairVote, SetAside } from './votes.js';

export interface MethodsFacts {
  /** Everything that was said of pairs. */
  readonly votes: readonly PairVote[];
  readonly set_aside: SetAside;
  readonly comparisons: readonly { readonly comparison: Comparison }[];
  readonly trust: Trust;
  readonly boundary: readonly BoundaryVote[];
  readonly judges: readonly BoundaryJudge[];
  readonly singles: number;
}

const some = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;
const shareInWords = ({ share, of, interval }: Share): string =>
  share === null || interval === null
    ? 'none'
    : `${percent(share)} of ${of} (95% CI ${percent(interval.low)} to ${percent(interval.high)})`;

/** Empty without a judgement. */
export function methodsParagraph(facts: MethodsFacts): string {
  const parts = [who(facts), ...pairsInWords(facts), ...boundaryInWords(facts)];
  const anything = facts.votes.length + facts.boundary.length + facts.singles > 0;
  return anything ? parts.filter((part) => part !== '').join(' ') : '';
}

function who({ votes, boundary, singles }: MethodsFacts): string {
  const raters = new Set([...votes, ...boundary].map(({ rater }) => rater));
  const tasks = [
    votes.length > 0 && `${some(votes.length, 'vote')} on pairs`,
    boundary.length > 0 && `${some(boundary.length, 'answer')} on boundaries`,
    singles > 0 && `${some(singles, 'judgement')} of single passages`,
  ].filter((task) => task !== false);
  return `${raters.size === 0 ? 'One rater' : some(raters.size, 'rater')} gave ${tasks.join(', ')}.`;
}

function pairsInWords({ votes, set_aside, comparisons, trust }: MethodsFacts): readonly string[] {
  if (votes.length === 0) return [];
  const { all, alpha, alpha_pairs } = trust;
  const decided = comparisons.filter(({ comparison }) => comparison.decided !== null).length;
  const parts = [
    `A pair was two continuations of the same held-out prompt; raters chose the better one, a tie, or "both bad", without being told who had written either.`,
    all.left.of === 0
      ? 'Sides were drawn at random.'
      : `Sides were drawn at random; untied votes were for the left or upper one in ${shareInWords(all.left)}.`,
    all.seconds === null ? '' : `The median time of a vote was ${all.seconds.toFixed(1)} s.`,
    `Results could be looked at after every vote: versions were compared by an anytime-valid test on untied votes (an e-process with a Beta(${MIXTURE}, ${MIXTURE}) mixture, decided at ${DECISIVE}, so that two equal versions are ever called different with a probability of at most 5%), with confidence sequences from the same mixture; a comparison was given up where ${MAX_VOTES} votes were less than 5% likely to decide it. ${decided} of ${some(comparisons.length, 'comparison')} ${decided === 1 ? 'was' : 'were'} decided.`,
    `Ratings are a Davidson model's (Bradley–Terry with ties; normal prior with standard deviation 2 on log strengths) with sandwich intervals, clustered by prompt. Preferences controlled with models' scores are prediction-powered estimates with power tuning.`,
  ];
  if (set_aside.again > 0) {
    parts.push(
      `Of several votes on one pair the first counted in comparisons (${some(set_aside.again, 'vote')} beside).`,
    );
  }
  if (all.self_agreement.of > 0) {
    parts.push(`Pairs repeated with sides swapped were answered the same in ${shareInWords(all.self_agreement)}.`);
  }
  if (all.known_right.of > 0)
    parts.push(`Pairs with a known answer were answered right in ${shareInWords(all.known_right)}.`);
  if (alpha !== null) {
    parts.push(
      `Agreement between raters over ${some(alpha_pairs, 'pair')}: Krippendorff's α = ${alpha.toFixed(2)} (nominal).`,
    );
  }
  parts.push('No vote was left out for any other reason.');
  return parts;
}

function boundaryInWords({ boundary, judges }: MethodsFacts): readonly string[] {
  const [people] = judges;
  if (boundary.length === 0 || people === undefined) return [];
  return [
    `In the boundary task raters marked the word at which a passage stops being natural, or said that it never does; the mean error was ${percent(people.error)} of the passage, ${shareInWords(people.exact)} answers were exact (by chance: ${percent(people.exact_by_chance)}).`,
  ];
}
