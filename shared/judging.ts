/**
 * Defines what the window, the terminal and reports share about people's votes: the verdict of a comparison and its message.
 * The mathematics is main/engine/judging.
 */
import { z } from 'zod';
import { localized, share, type Message } from './messages/message.js';

export type PairOutcome = 'first' | 'second' | 'tie' | 'both_bad';

/** A comparison that is still undecided after this many votes is given up. */
export const MAX_VOTES = 600;

/** All raters together, in a list of raters. */
export const EVERYONE = 'people';

const interval = z.strictObject({ low: z.number(), high: z.number() }).readonly();
const count = z.int().min(0);

/** Two versions compared by votes: main/engine/judging/comparison.ts. */
export const comparisonSchema = z
  .strictObject({
    wins: count,
    losses: count,
    ties: count,
    both_bad: count,
    /** Votes in less time than reading takes, which are left out of everything else. */
    hasty: count.default(0),
    /** Evidence against "equally good"; 20 decides. Valid after every vote. */
    e_value: z.number(),
    /** The preferred version, from the vote on at which the evidence reached 20. */
    decided: z.enum(['first', 'second']).nullable(),
    /** Votes of all kinds at that moment. */
    decided_at: count.nullable(),
    /** Win rate of the first among untied votes; null without any. */
    share: z.number().nullable(),
    /** 95 % interval of the win rate, valid after every vote at once (a confidence sequence). */
    interval,
    /** Votes of all kinds after which a decision is as likely as not; null: beyond MAX_VOTES, or decided. */
    votes_left: count.nullable(),
    /** Probability that MAX_VOTES decide it; 1 when decided. */
    chance: z.number(),
    /** Undecided, and less than 5 % likely to be decided by MAX_VOTES. */
    hopeless: z.boolean(),
  })
  .readonly();
export type Comparison = z.infer<typeof comparisonSchema>;

/** The result of a comparison for the first version. */
export type Verdict = 'no_votes' | 'better' | 'worse' | 'no_difference' | 'waiting';

export const votesIn = ({ wins, losses, ties, both_bad }: Comparison): number => wins + losses + ties + both_bad;

export function verdictOf(comparison: Comparison): Verdict {
  if (comparison.decided !== null) return comparison.decided === 'first' ? 'better' : 'worse';
  if (comparison.hopeless) return 'no_difference';
  return votesIn(comparison) === 0 ? 'no_votes' : 'waiting';
}

/** Rounds a prediction: to 5 below 100, to 10 above. */
export function about(votes: number): number {
  const step = votes < 10 ? 1 : votes < 100 ? 5 : 10;
  return Math.max(1, Math.round(votes / step) * step);
}

/** Predicts how many more votes decide a comparison: as likely as not by then, or else those up to MAX_VOTES. */
export const moreVotes = (comparison: Comparison): number =>
  comparison.votes_left ?? Math.max(1, MAX_VOTES - votesIn(comparison));

/** Words the verdict, after any number of votes. @param names of the two versions, as the surface calls them */
export function verdictMessage(
  comparison: Comparison,
  names: { readonly first: string; readonly second: string },
): Message {
  const verdict = verdictOf(comparison);
  if (verdict === 'no_difference') return localized('judging.verdict.no_difference', { ...names, most: MAX_VOTES });
  if (verdict !== 'waiting') return localized(`judging.verdict.${verdict}`, names);
  const votes = about(moreVotes(comparison));
  if (comparison.votes_left !== null) return localized('judging.verdict.waiting', { votes });
  return localized('judging.verdict.close', { votes, chance: share(comparison.chance) });
}

/** A count with its share and 95 % interval (Wilson); both null for none of none. */
const shareSchema = z
  .strictObject({ yes: count, of: count, share: z.number().nullable(), interval: interval.nullable() })
  .readonly();
export type Share = z.infer<typeof shareSchema>;

/** How consistent a rater is: main/engine/judging/reliability.ts. */
export const reliabilitySchema = z
  .strictObject({
    rater: z.string(),
    /** Votes, including repeats. */
    votes: count,
    /** Median time of a vote. */
    seconds: z.number(),
    /** Votes in less time than reading takes; they are reported, and no verdict counts them. */
    hasty: count.default(0),
    /** Repeats with swapped sides that got the same answer: the ceiling of any agreement with this rater. */
    self_consistency: shareSchema,
    /** Untied votes for the side shown first; half if sides do not matter. */
    chose_first: shareSchema,
  })
  .readonly();
export type Reliability = z.infer<typeof reliabilitySchema>;

/** Seconds that are too few to read two passages. */
export const HASTY_SECONDS = 2;

/** Reports votes that were too fast to have read the passages; null without any. */
export const hastyMessage = ({ hasty }: Pick<Comparison, 'hasty'>): Message | null =>
  hasty === 0 ? null : localized('judging.hasty', { hasty, seconds: HASTY_SECONDS });

/** How exactly a rater finds the boundary: main/engine/judging/reliability.ts. */
export const boundaryFiguresSchema = z
  .strictObject({
    rater: z.string(),
    answers: count,
    /** Mean distance from the true word, as a share of the passage and in words. */
    error: z.number(),
    error_interval: interval.nullable(),
    error_words: z.number(),
    /** Mean of answer minus truth, as a share of the passage; above 0 is late. */
    bias: z.number(),
    bias_interval: interval.nullable(),
    /** Answers that name the very word, and the rate of guessing. */
    exact: shareSchema,
    exact_by_chance: z.number(),
    /** Repeated passages with the same answer, and the mean distance in words; null without repeats. */
    again: z.strictObject({ same: shareSchema, words_apart: z.number() }).readonly().nullable(),
  })
  .readonly();
export type BoundaryFigures = z.infer<typeof boundaryFiguresSchema>;

/** What a project does after a cycle, by the votes on its newest version against the previous one. */
export const projectStopSchema = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('better') }).readonly(),
  z.strictObject({ verdict: z.literal('not_better'), because: z.enum(['worse', 'no_difference']) }).readonly(),
  /** About how many more votes decide it; those up to MAX_VOTES if that cannot be predicted. */
  z.strictObject({ verdict: z.literal('waiting'), votes_left: count }).readonly(),
]);
export type ProjectStop = z.infer<typeof projectStopSchema>;

/** The reward rises from the previous version to the newest, and people see no improvement. */
export const alarms = ['people_say_worse', 'people_see_no_difference'] as const;
export type Alarm = (typeof alarms)[number];

/** @param newest, previous the two versions, as the surface calls them */
export const alarmMessage = (alarm: Alarm, newest: string, previous: string): Message =>
  localized(`judging.alarm.${alarm}`, { newest, previous });
