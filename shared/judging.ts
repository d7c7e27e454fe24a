/**
 * What every side agrees on about human evaluation: what a vote can say, what a comparison comes to, and which sentence says
 * so in the terminal, in the window and in a report; its words are judging-words.ts.
 */
import { z } from 'zod';
import { judgingWords, type JudgingWords } from './words/judging.js';

/** What a vote on a pair can say. */
export type PairOutcome = 'first' | 'second' | 'tie' | 'both_bad';

/** A comparison that has not been decided by this many votes is not going to be: see docs/judging.md. */
export const MAX_VOTES = 600;

const interval = z.strictObject({ low: z.number(), high: z.number() }).readonly();
const count = z.int().min(0);

/** Two versions compared by votes: main/engine/judging/sequential.ts. */
export const comparisonSchema = z
  .strictObject({
    /** Votes for the first, for the second, and for neither. */
    wins: count,
    losses: count,
    ties: count,
    both_bad: count,
    /** Evidence against "as good as each other" now: at 20 it is decided. May be looked at after every vote. */
    e_value: z.number(),
    /** Which one is preferred, from the moment on at which the evidence reached 20. */
    decided: z.enum(['first', 'second']).nullable(),
    /** Votes of all kinds at that moment. */
    decided_at: count.nullable(),
    /** Of the untied votes, those for the first; null without any. */
    share: z.number().nullable(),
    /** 95 %, of the same share, true after every vote at once (a confidence sequence). */
    interval,
    /** Votes of all kinds after which it is as likely as not to be decided; null: more than MAX_VOTES allow, or decided. */
    votes_left: count.nullable(),
    /** Probability that MAX_VOTES decide it, given the votes so far; 1 when decided. */
    chance: z.number(),
    /** Not decided, and below 5 % likely to be by MAX_VOTES. */
    hopeless: z.boolean(),
  })
  .readonly();
export type Comparison = z.infer<typeof comparisonSchema>;

/** What a comparison comes to, of the first against the second. */
export type Verdict = 'no_votes' | 'better' | 'worse' | 'no_difference' | 'waiting';

export function verdictOf(comparison: Comparison): Verdict {
  if (comparison.decided !== null) return comparison.decided === 'first' ? 'better' : 'worse';
  if (comparison.hopeless) return 'no_difference';
  return comparison.wins + comparison.losses + comparison.ties + comparison.both_bad === 0 ? 'no_votes' : 'waiting';
}

/** "About 30": to one digit below 100, to two above. */
export function about(votes: number): number {
  const step = votes < 10 ? 1 : votes < 100 ? 5 : 10;
  return Math.max(1, Math.round(votes / step) * step);
}

/**
 * In words, after every vote.
 * @param names of the two versions, as the surface calls them
 * @param words in the surface's language, which writes numbers as it does
 */
export function verdictSentence(
  comparison: Comparison,
  { first, second }: { readonly first: string; readonly second: string },
  words: JudgingWords['verdict'] = judgingWords.verdict,
  write: (value: number) => string = String,
): string {
  const verdict = verdictOf(comparison);
  if (verdict === 'no_difference') return words.no_difference(first, second, write(MAX_VOTES));
  if (verdict !== 'waiting') return words[verdict](first, second);
  if (comparison.votes_left === null) return words.close(write(MAX_VOTES), write(Math.round(100 * comparison.chance)));
  const votes = about(comparison.votes_left);
  return words.waiting(write(votes), votes === 1);
}

/** A version's place among all: main/engine/judging/versions.ts. */
const ratedVersionSchema = z
  .strictObject({
    version: z.string(),
    /** In points, 400 of which are odds of ten to one, above the version that is compared with or the mean of all. */
    rating: z.number(),
    /** 95 %, for this number of votes. */
    low: z.number(),
    high: z.number(),
    /** Votes that it was part of. */
    votes: count,
  })
  .readonly();
export type RatedVersion = z.infer<typeof ratedVersionSchema>;

export const versionRatingsSchema = z
  .strictObject({
    /** Best first. */
    versions: z.array(ratedVersionSchema).readonly(),
    /** Whose rating is 0; null: the mean of all is. */
    against: z.string().nullable(),
    /** Of votes on two versions of the same strength, those for neither; null in a model without ties. */
    tie_share: z.number().nullable(),
    /** For each two neighbours: how many more votes for the lower one would put it first; null: thousands. */
    flips: z
      .array(z.strictObject({ above: z.string(), below: z.string(), votes: count.nullable() }).readonly())
      .readonly(),
  })
  .readonly();
export type VersionRatings = z.infer<typeof versionRatingsSchema>;

/** A mean preference for the first of two, in [0, 1], with its 95 % interval. */
const preferenceSchema = z.strictObject({ estimate: z.number(), low: z.number(), high: z.number() }).readonly();
export type Preference = z.infer<typeof preferenceSchema>;

/** The same from votes alone, and with models' scores of all pairs: main/engine/judging/control.ts. */
export const controlledPreferenceSchema = z
  .strictObject({
    votes: count,
    /** Voted on or not. */
    pairs: count,
    without: preferenceSchema.nullable(),
    with: preferenceSchema.nullable(),
  })
  .readonly();
export type ControlledPreference = z.infer<typeof controlledPreferenceSchema>;

/** So many of so many, with its 95 % interval (Wilson); `share` and `interval` are null of nothing. */
export const shareSchema = z
  .strictObject({ yes: count, of: count, share: z.number().nullable(), interval: interval.nullable() })
  .readonly();
export type Share = z.infer<typeof shareSchema>;

const reliability = {
  /** Votes cast, repeats and known answers among them. */
  votes: count,
  /** Median; null without votes. */
  seconds: z.number().nullable(),
  /** Repeats with sides swapped that were answered the same again: nothing can agree with a rater more than that. */
  self_agreement: shareSchema,
  /** Pairs with a known answer that were answered right. */
  known_right: shareSchema,
  /** Untied votes for the side shown on the left, or above: half of them where sides do not matter. */
  left: shareSchema,
  /** The interval of `left` does not hold one half. */
  position_bias: z.boolean(),
};

/** How far votes can be trusted: main/engine/judging/trust.ts. */
export const trustSchema = z
  .strictObject({
    all: z.strictObject(reliability).readonly(),
    raters: z.array(z.strictObject({ rater: z.string(), ...reliability }).readonly()).readonly(),
    /** Krippendorff's, nominal, over the raters; null where no pair has votes of two. */
    alpha: z.number().nullable(),
    /** Pairs that it is computed from. */
    alpha_pairs: count,
  })
  .readonly();
export type Trust = z.infer<typeof trustSchema>;

/** Somebody, or a model, who says where passages stop being natural: main/engine/judging/boundary.ts. */
export const boundaryJudgeSchema = z
  .strictObject({
    judge: z.string(),
    /** Answers; of people several may be on one passage. */
    answers: count,
    /** Mean distance from the truth, as a share of the passage, and in words. */
    error: z.number(),
    error_interval: interval.nullable(),
    error_words: z.number(),
    /** Mean of answer less truth, as a share of the passage: above 0 is too late. */
    bias: z.number(),
    bias_interval: interval.nullable(),
    /** Answers with the very word, and what guessing evenly among the words would have. */
    exact: shareSchema,
    exact_by_chance: z.number(),
    /** Share of the truth's variance that the answers explain; null where it does not vary. */
    r2: z.number().nullable(),
    /** Of passages shown again, how many were answered the same, and how many words apart; null where none was, or of models. */
    again: z.strictObject({ same: shareSchema, words_apart: z.number() }).readonly().nullable(),
    /** What was true where they said so: five bins of the share said to be natural. */
    calibration: z
      .array(
        z.strictObject({ low: z.number(), high: z.number(), count, said: z.number(), truth: z.number() }).readonly(),
      )
      .readonly(),
  })
  .readonly();
export type BoundaryJudge = z.infer<typeof boundaryJudgeSchema>;

/** What the project does after a cycle, by the votes on its newest version against the one before. */
export const projectStopSchema = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('better') }).readonly(),
  z.strictObject({ verdict: z.literal('not_better'), because: z.enum(['worse', 'no_difference']) }).readonly(),
  /** About how many more votes decide it; where that cannot be told, those up to MAX_VOTES. */
  z.strictObject({ verdict: z.literal('waiting'), votes_left: count }).readonly(),
]);
export type ProjectStop = z.infer<typeof projectStopSchema>;

/** The reward model says that the newest version is better than the one before it, and people do not. */
export const alarms = ['people_say_worse', 'people_see_no_difference'] as const;
export type Alarm = (typeof alarms)[number];

/** @param newest, previous the two versions, as the surface calls them */
export const alarmSentence = (alarm: Alarm, newest: string, previous: string, words = judgingWords.alarm): string =>
  words[alarm](newest, previous);
