/** The report of people's votes as data: its JSON file, the source of its page, and what the window shows. */
import { z } from 'zod';
import { alarms, boundaryFiguresSchema, comparisonSchema, reliabilitySchema } from './judging.js';

const count = z.int().min(0);

/** What the project measured of a version. Readers rarely notice copied text, so it appears next to their preference. */
const writingSchema = z
  .strictObject({
    version: z.string(),
    /** Mean reward of its passages, by the reward model of its own cycle. */
    reward: z.number().nullable(),
    /** Share of the writing that is copied from the training text, and of distinct word pairs. */
    copied_share: z.number().nullable(),
    distinct_2: z.number().nullable(),
  })
  .readonly();
export type Writing = z.infer<typeof writingSchema>;

export const judgingReportSchema = z
  .strictObject({
    format: z.literal('verisim-ratings'),
    format_version: z.literal(2),
    project: z.string(),
    /** ISO 8601. */
    made_at: z.string(),
    /** The program's version. */
    verisim: z.string(),
    /** `natural`, the text itself, then the generators in order. */
    versions: z.array(z.string()).readonly(),
    votes: z
      .strictObject({
        /** Votes on pairs that count in comparisons. */
        pairs: count,
        repeats: count,
        /** Further votes on a pair, which count for consistency only. */
        again: count,
        boundary: count,
        /** Answers of earlier versions to questions that no longer exist. */
        ignored: count,
      })
      .readonly(),
    /** Every two versions with votes, the newest first; `first` is the later one. */
    comparisons: z
      .array(z.strictObject({ first: z.string(), second: z.string(), comparison: comparisonSchema }).readonly())
      .readonly(),
    /** All raters together, then each if there are several; the same for `boundary`. */
    reliability: z.array(reliabilitySchema).readonly(),
    boundary: z.array(boundaryFiguresSchema).readonly(),
    writing: z.array(writingSchema).readonly(),
    alarm: z
      .strictObject({ alarm: z.enum(alarms), newest: z.string(), previous: z.string() })
      .readonly()
      .nullable(),
  })
  .readonly();
export type JudgingReport = z.infer<typeof judgingReportSchema>;

/** Formats of the report, with the ending of the file name. */
export const ratingReportFormats = { html: 'ratings.html', json: 'ratings.json', csv: 'ratings.csv' } as const;
export type RatingReportFormat = keyof typeof ratingReportFormats;
export const ratingReportFormatNames = ['html', 'json', 'csv'] as const satisfies readonly RatingReportFormat[];
