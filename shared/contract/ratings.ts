/**
 * Channels of rating blind (specification 5.5): questions about passages of the text and of the generators, none of which
 * says whose it is; what a person made of them; and, in reports alone, what that comes to.
 */
import { z } from 'zod';
import { interval, ratingReportFormatNames } from '../judging-report.js';
import { alarms, boundaryJudgeSchema, comparisonSchema, trustSchema, versionRatingsSchema } from '../judging.js';
import { languages } from '../language.js';
import { answerSchema, blindQuestionSchema, pairAgainst, ratingTasks } from '../rating.js';
import { channel, longChannel } from './channel.js';
import { measured } from '../base/measured.js';
import { fileHandle, fileInfo, projectId } from './values.js';

const ratedSource = z
  .strictObject({ source: z.string(), rated: z.int(), taken_for_natural: z.int(), interval })
  .readonly();
export type RatedSource = z.infer<typeof ratedSource>;

const ratingReportSchema = z
  .strictObject({
    /** `natural`, the text itself, first; then the generators in order. */
    sources: z.array(ratedSource).readonly(),
    /** The newest generator against the one before; where all of both was taken for the same, this measure tells nothing. */
    verdict: z.enum(['too_few', 'all_generated', 'all_natural', 'better', 'worse', 'no_clear_change']),
    /** By how much more often the newest is taken for natural. */
    change: interval,
  })
  .readonly();
export type RatingReport = z.infer<typeof ratingReportSchema>;

const ratingOpinionSchema = z
  .strictObject({
    /** Which reward model; null while the project has none, and then nothing below. */
    model: z.string().nullable(),
    /** Its P(natural) at the end of each source's passages, on average. */
    sources: z.array(z.strictObject({ source: z.string(), natural: measured, interval }).readonly()).readonly(),
    /** The same for passages that the person took for natural, and for generated; null where there is none. */
    taken: z.strictObject({ natural: measured, generated: measured }).readonly(),
  })
  .readonly();
export type RatingOpinion = z.infer<typeof ratingOpinionSchema>;

/** Which of a project's questions; `against` is null but for pairs. */
const asked = { id: projectId, task: z.enum(ratingTasks), against: z.enum(pairAgainst).nullable() };
const name = z.string().min(1).max(64);

const ratingsView = z.strictObject({
  task: z.enum(ratingTasks),
  /** As asked, or the most telling comparison where what was asked is not there. */
  against: z.enum(pairAgainst).nullable(),
  /** What the newest generator can be compared with, the most telling first. */
  comparisons: z
    .array(z.strictObject({ against: z.enum(pairAgainst), first: z.string(), second: z.string() }).readonly())
    .readonly(),
  /** The next ones, in an order that says nothing, the same each time; `left` of them there are. */
  waiting: z.array(blindQuestionSchema).readonly(),
  left: z.int(),
  rated: z.int(),
  /** Passages of each generator; 0 before any are written. */
  passages: z.int(),
  /** Whether a source has none, or fewer than the others. */
  missing: z.boolean(),
  /** What all votes on this comparison come to so far; null but for pairs. */
  comparison: comparisonSchema.nullable(),
});
export type RatingsView = z.infer<typeof ratingsView>;

const earlierVote = z
  .strictObject({ vote: name, question: blindQuestionSchema, answer: answerSchema, at: z.string() })
  .readonly();
export type EarlierVote = z.infer<typeof earlierVote>;

const pairResultsSchema = z
  .strictObject({
    /** The newest generator and what it is compared with; null while there is nothing to compare. */
    first: z.string().nullable(),
    second: z.string().nullable(),
    comparison: comparisonSchema.nullable(),
    /** Of all versions that were voted on, above the base model; null below two. */
    ratings: versionRatingsSchema.nullable(),
    /** What was measured of each generator, in order: readers do not notice copying, so it stands beside. */
    versions: z
      .array(
        z
          .strictObject({
            version: z.string(),
            /** Mean P(natural) by the reward model of its cycle. */
            reward: measured,
            reward_interval: interval,
            copied_share: measured,
            distinct_2: measured,
          })
          .readonly(),
      )
      .readonly(),
    /** The same of the text itself. */
    natural: z.strictObject({ copied_share: measured, distinct_2: measured }).readonly(),
    /** The reward model says better, people do not. */
    alarm: z.enum(alarms).nullable(),
    trust: trustSchema,
  })
  .readonly();
export type PairResults = z.infer<typeof pairResultsSchema>;

/** People, and the models that do the same task, on one axis. */
const boundaryResultsSchema = z.strictObject({ judges: z.array(boundaryJudgeSchema).readonly() }).readonly();
export type BoundaryResults = z.infer<typeof boundaryResultsSchema>;

export const ratingChannels = {
  'ratings.get': channel(z.strictObject(asked), ratingsView),
  /** Writes the passages that are missing, so that each source has so many. */
  'ratings.write': longChannel(
    z.strictObject({ ...asked, passages: z.int().min(1).max(500) }),
    ratingsView,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Kept at once; the same answer twice is one vote. `seconds` from the question's appearance. */
  'ratings.vote': channel(
    z.strictObject({ ...asked, question: name, answer: answerSchema, seconds: z.number().min(0) }),
    ratingsView,
  ),
  /** Takes a vote back, the last one where none is named: its question waits again, before all others. */
  'ratings.undo': channel(z.strictObject({ ...asked, vote: name.nullable() }), ratingsView),
  /** What was said, the last one first. */
  'ratings.history': channel(z.strictObject(asked), z.strictObject({ votes: z.array(earlierVote).readonly() })),
  'ratings.pairs': channel(
    z.strictObject({ id: projectId, against: z.enum(pairAgainst).nullable() }),
    pairResultsSchema,
  ),
  /** Loads the newest reward models to ask them about the passages that people judged. */
  'ratings.boundaries': channel(z.strictObject({ id: projectId }), boundaryResultsSchema),
  /** How many votes a difference takes to be known, and how long that is: before anything is rated. */
  'ratings.plan': channel(
    z.strictObject({
      /** The smallest share of untied votes for the better one that is worth knowing of. */
      share: z.number().gt(0.5).lt(1),
      /** Of votes, those for neither. */
      ties: z.number().min(0).max(0.9),
      seconds: z.number().min(1).max(600),
    }),
    z.strictObject({
      votes: z.int().nullable(),
      votes_80: z.int().nullable(),
      minutes: measured,
      minutes_80: measured,
    }),
  ),
  /** A task for somebody else, as one HTML file that needs no network and does not hold whose the passages are. */
  'ratings.export': channel(
    z.strictObject({ ...asked, file: fileHandle, language: z.enum(languages) }),
    z.strictObject({ file: fileInfo }),
  ),
  /** Adds the answers of the file that came back; refused where it was edited or is imported already. */
  'ratings.import': channel(
    z.strictObject({ id: projectId, file: fileHandle }),
    z.strictObject({ rater: z.string(), added: z.int(), changed: z.int() }),
  ),
  /** What everybody's judgements come to, as a file; asks the reward models too. */
  'ratings.saveReport': channel(
    z.strictObject({
      id: projectId,
      format: z.enum(ratingReportFormatNames),
      file: fileHandle,
      language: z.enum(languages),
    }),
    z.strictObject({ file: fileInfo, judgements: z.int() }),
  ),
  /** Of single passages. */
  'ratings.report': channel(z.strictObject({ id: projectId }), ratingReportSchema),
  /** What the project's newest reward model makes of the same passages. */
  'ratings.opinion': channel(z.strictObject({ id: projectId }), ratingOpinionSchema),
};
