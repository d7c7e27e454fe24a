/**
 * What people's judgements of a project's writing come to, as data that travels: the report's JSON, what its page (HTML) is
 * drawn from, and what the window shows. main/engine/judging/report.ts makes it.
 */
import { z } from 'zod';
import {
  alarms,
  boundaryJudgeSchema,
  comparisonSchema,
  controlledPreferenceSchema,
  shareSchema,
  trustSchema,
  versionRatingsSchema,
} from './judging.js';
import { languages } from './language.js';

const count = z.int().min(0);
export const interval = z.strictObject({ low: z.number(), high: z.number() }).readonly().nullable();

/** What else is known of a version's writing: people do not notice copying, so it stands beside what they prefer. */
const writingSchema = z
  .strictObject({
    version: z.string(),
    /** Mean reward of its passages, by the reward model of its own cycle; null: not known. */
    reward: z.number().nullable(),
    reward_interval: interval,
    /** Share of the writing that stands in the training text; of distinct pairs of words among all. */
    copied_share: z.number().nullable(),
    distinct_2: z.number().nullable(),
  })
  .readonly();
export type Writing = z.infer<typeof writingSchema>;

export const judgingReportSchema = z
  .strictObject({
    format: z.literal('verisim-ratings'),
    format_version: z.literal(1),
    project: z.string(),
    /** ISO 8601. */
    made_at: z.string(),
    /** The program's version. */
    verisim: z.string(),
    /** What its sentences are in. */
    language: z.enum(languages).default('en'),
    /** All there are, in order: `natural`, the text itself, then the generators. */
    versions: z.array(z.string()).readonly(),
    votes: z
      .strictObject({
        /** On pairs, as they count in comparisons. */
        pairs: count,
        repeats: count,
        known_answers: count,
        /** Further votes on a pair: they count for agreement and, as one with the first, for ratings. */
        again: count,
        boundary: count,
        single: count,
      })
      .readonly(),
    /** Every two versions with votes, the newest first; `first` is the later one. */
    comparisons: z
      .array(
        z
          .strictObject({
            first: z.string(),
            second: z.string(),
            comparison: comparisonSchema,
            preference: controlledPreferenceSchema,
            /** Whose scores the preference is controlled with. */
            models: z.array(z.string()).readonly(),
          })
          .readonly(),
      )
      .readonly(),
    /** Null without a vote. */
    ratings: versionRatingsSchema.nullable(),
    trust: trustSchema,
    /** People and models on where a passage stops being natural; empty without answers. */
    boundary: z.array(boundaryJudgeSchema).readonly(),
    /** Single passages: how often each version's were taken for natural. */
    singles: z.array(z.strictObject({ version: z.string(), natural: shareSchema }).readonly()).readonly(),
    writing: z.array(writingSchema).readonly(),
    alarm: z
      .strictObject({ alarm: z.enum(alarms), newest: z.string(), previous: z.string() })
      .readonly()
      .nullable(),
    /** A paragraph for a paper. */
    methods: z.string(),
  })
  .readonly();
export type JudgingReport = z.infer<typeof judgingReportSchema>;

/** What the report is written as, and how its file's name ends. */
export const ratingReportFormats = {
  html: 'ratings.html',
  json: 'ratings.json',
  csv: 'ratings.csv',
  pairs: 'preferences.jsonl',
} as const;
export type RatingReportFormat = keyof typeof ratingReportFormats;
export const ratingReportFormatNames = Object.keys(ratingReportFormats) as [
  RatingReportFormat,
  ...RatingReportFormat[],
];
