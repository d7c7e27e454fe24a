/**
 * What the report of ratings says, beside what the window says too (shared/words): its English; in other languages beside it
 * (words-de.ts). The methods paragraph is among it.
 */
import type { Language } from '../../../shared/language.js';
import { german } from './words-de.js';

/** The figures of a share, written already: "62%", of how many, and its interval. */
export interface ShareFigures {
  readonly share: string;
  readonly of: string;
  readonly low: string;
  readonly high: string;
}

/** Numbers are written already; `isOne` where a noun follows them. */
export interface RatingReportWords {
  title(project: string): string;
  readonly nothing: string;
  /** The text itself, among versions. */
  readonly natural: string;
  range(low: string, high: string): string;
  /** "62% (31 of 50; 48% to 74%)" */
  share(share: string, yes: string, of: string, range: string): string;
  against(first: string, second: string): string;
  decidedAt(evidence: string, vote: string): string;
  readonly comparisons: {
    readonly title: string;
    readonly chart: string;
    readonly chartHelp: string;
    readonly help: string;
    readonly columns: readonly [string, string, string, string, string, string, string, string];
  };
  readonly ratings: {
    readonly title: string;
    readonly chart: string;
    unit(against: string): string;
    readonly mean: string;
    readonly help: string;
    ties(share: string): string;
    flip(below: string, above: string, votes: string, isOne: boolean): string;
    flipOfThousands(below: string, above: string): string;
  };
  readonly writing: {
    readonly title: string;
    readonly help: string;
    readonly columns: readonly [string, string, string, string, string];
  };
  readonly boundary: {
    readonly title: string;
    readonly chart: string;
    readonly unit: string;
    readonly chartHelp: string;
    readonly help: string;
    readonly columns: readonly [string, string, string, string, string, string, string];
    /** Everybody who answered, among judges. */
    readonly people: string;
  };
  readonly singles: { readonly title: string; readonly chart: string; readonly chartHelp: string };
  readonly trust: {
    readonly title: string;
    readonly all: string;
    readonly columns: readonly [string, string, string, string, string, string];
    readonly sidesMattered: string;
    alpha(pairs: string, alpha: string): string;
    counted(repeats: string, known: string, again: string): string;
    readonly help: string;
  };
  readonly methods: {
    readonly title: string;
    readonly oneRater: string;
    raters(count: string, isOne: boolean): string;
    votes(count: string, isOne: boolean): string;
    answers(count: string, isOne: boolean): string;
    judgements(count: string, isOne: boolean): string;
    gave(raters: string, tasks: readonly string[]): string;
    readonly none: string;
    share(figures: ShareFigures): string;
    readonly pairs: string;
    readonly sides: string;
    sidesWith(left: string): string;
    seconds(median: string): string;
    test(figures: { readonly mixture: string; readonly decisive: string; readonly most: string }): string;
    decided(decided: string, isOne: boolean, of: string, ofOne: boolean): string;
    readonly ratings: string;
    again(votes: string, isOne: boolean): string;
    same(share: string): string;
    known(share: string): string;
    agreement(pairs: string, isOne: boolean, alpha: string): string;
    readonly noneLeftOut: string;
    boundary(error: string, exact: string, chance: string): string;
  };
}

const some = (count: string, isOne: boolean, one: string): string => `${count} ${isOne ? one : `${one}s`}`;

const english: RatingReportWords = {
  title: (project) => `Human evaluation of ${project}`,
  nothing: 'Nothing has been judged yet.',
  natural: 'natural text',
  range: (low, high) => `${low} to ${high}`,
  share: (share, yes, of, range) => `${share} (${yes} of ${of}; ${range})`,
  against: (first, second) => `${first} against ${second}`,
  decidedAt: (evidence, vote) => `${evidence}; decided at vote ${vote}`,
  comparisons: {
    title: 'Which version is better',
    chart: 'Share of untied votes for the first',
    chartHelp:
      'With 95% intervals that hold after every vote at once. The dashed line is one half: as good as each other.',
    help: 'Evidence of 20 decides. A preference counts a tie as half; its interval is for this number of votes. Beside it, how much of each version’s writing stands in the training text, and how varied it is: people do not notice copying.',
    columns: [
      ...(['Compared', 'For each', 'Ties, both bad', 'Evidence', 'Preference', 'With models’ scores'] as const),
      ...(['First: copied; varied', 'Second: copied; varied'] as const),
    ],
  },
  ratings: {
    title: 'Ratings of all versions',
    chart: 'Rating of each version',
    unit: (against) => `points above ${against}; 400 are odds of ten to one`,
    mean: 'the mean',
    help: 'Bradley–Terry with ties (Davidson) and a weak prior, with 95% intervals.',
    ties: (share) => `Of votes on two equals, ${share} are for neither.`,
    flip: (below, above, votes, isOne) =>
      `${below} would be ahead of ${above} with ${votes} more ${isOne ? 'vote' : 'votes'} for it against ${above}.`,
    flipOfThousands: (below, above) =>
      `${below} would be ahead of ${above} with thousands of votes more for it against ${above}.`,
  },
  writing: {
    title: 'Reward and people',
    help: 'Reward: by the reward model of the version’s own cycle. Copied: of the writing, what stands in the training text. Varied: distinct pairs of words among all.',
    columns: ['Version', 'Reward', 'People’s rating', 'Copied', 'Varied'],
  },
  boundary: {
    title: 'Where a passage stops being natural',
    chart: 'Error of each judge',
    unit: 'mean distance from the truth, as a share of the passage',
    chartHelp: 'People, reward model and critic on the same passages, with 95% intervals.',
    help: 'An answer is exact where it is the very word.',
    columns: ['Judge', 'Answers', 'Error', 'Too late by', 'Exact', 'Exact by chance', 'R²'],
    people: 'People',
  },
  singles: {
    title: 'Single passages',
    chart: 'Share of passages taken for natural',
    chartHelp: 'Judged alone, with 95% intervals.',
  },
  trust: {
    title: 'How far the votes can be trusted',
    all: 'All',
    columns: ['Rater', 'Votes', 'Seconds a vote', 'Same again', 'Known answers right', 'For the left'],
    sidesMattered: 'sides mattered',
    alpha: (pairs, alpha) => `Krippendorff’s α over ${pairs} pairs that several judged: ${alpha}.`,
    counted: (repeats, known, again) =>
      `Repeats: ${repeats}; known answers: ${known}; further votes on a pair: ${again}. None was left out silently.`,
    help: 'Same again: pairs repeated with sides swapped; nothing can agree with a rater more than that.',
  },
  methods: {
    title: 'Methods',
    oneRater: 'One rater',
    raters: (count, isOne) => some(count, isOne, 'rater'),
    votes: (count, isOne) => `${some(count, isOne, 'vote')} on pairs`,
    answers: (count, isOne) => `${some(count, isOne, 'answer')} on boundaries`,
    judgements: (count, isOne) => `${some(count, isOne, 'judgement')} of single passages`,
    gave: (raters, tasks) => `${raters} gave ${tasks.join(', ')}.`,
    none: 'none',
    share: ({ share, of, low, high }) => `${share} of ${of} (95% CI ${low} to ${high})`,
    pairs:
      'A pair was two continuations of the same held-out prompt; raters chose the better one, a tie, or “both bad”, without being told who had written either.',
    sides: 'Sides were drawn at random.',
    sidesWith: (left) => `Sides were drawn at random; untied votes were for the left or upper one in ${left}.`,
    seconds: (median) => `The median time of a vote was ${median} s.`,
    test: ({ mixture, decisive, most }) =>
      `Results could be looked at after every vote: versions were compared by an anytime-valid test on untied votes (an e-process with a Beta(${mixture}) mixture, decided at ${decisive}, so that two equal versions are ever called different with a probability of at most 5%), with confidence sequences from the same mixture; a comparison was given up where ${most} votes were less than 5% likely to decide it.`,
    decided: (decided, isOne, of, ofOne) =>
      `${decided} of ${some(of, ofOne, 'comparison')} ${isOne ? 'was' : 'were'} decided.`,
    ratings:
      'Ratings are a Davidson model’s (Bradley–Terry with ties; normal prior with standard deviation 2 on log strengths) with sandwich intervals, clustered by prompt. Preferences controlled with models’ scores are prediction-powered estimates with power tuning.',
    again: (votes, isOne) =>
      `Of several votes on one pair the first counted in comparisons (${some(votes, isOne, 'vote')} beside).`,
    same: (share) => `Pairs repeated with sides swapped were answered the same in ${share}.`,
    known: (share) => `Pairs with a known answer were answered right in ${share}.`,
    agreement: (pairs, isOne, alpha) =>
      `Agreement between raters over ${some(pairs, isOne, 'pair')}: Krippendorff’s α = ${alpha} (nominal).`,
    noneLeftOut: 'No vote was left out for any other reason.',
    boundary: (error, exact, chance) =>
      `In the boundary task raters marked the word at which a passage stops being natural, or said that it never does; the mean error was ${error} of the passage, ${exact} answers were exact (by chance: ${chance}).`,
  },
};

export const ratingReportWords: Readonly<Record<Language, RatingReportWords>> = { en: english, de: german };
