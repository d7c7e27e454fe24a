/**
 * Channels of blind rating: passages of the text and of each generator, none of which says whose it is; what a person
 * made of them, and what the reward model makes of the same ones (specification 5.5).
 */
import { z } from 'zod';
import { channel, longChannel, nothing } from './channel.js';
import { measured, projectId } from './values.js';

/** What a passage is taken for. */
export const verdicts = ['natural', 'generated'] as const;
export type Verdict = (typeof verdicts)[number];

const interval = z.strictObject({ low: z.number(), high: z.number() }).readonly().nullable();

/** What a person sees of a passage: held-out text, and what follows it, there or by a generator. */
const blindPassage = z.strictObject({ id: z.string(), prompt: z.string(), text: z.string() }).readonly();
export type BlindPassage = z.infer<typeof blindPassage>;

const ratedSource = z
  .strictObject({ source: z.string(), rated: z.int(), taken_for_natural: z.int(), interval })
  .readonly();
export type RatedSource = z.infer<typeof ratedSource>;

const ratingReportSchema = z
  .strictObject({
    /** `natural`, the text itself, first; then the generators in order. */
    sources: z.array(ratedSource).readonly(),
    /** The newest generator against the one before. */
    verdict: z.enum(['too_few', 'better', 'worse', 'no_clear_change']),
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

const one = { id: projectId };
const passage = z.string().min(1).max(64);
const ratingsView = z.strictObject({
  /** In an order that says nothing, the same each time. */
  waiting: z.array(blindPassage).readonly(),
  rated: z.int(),
  /** Passages of each source; 0 before any are written. */
  passages: z.int(),
  /** Whether a finished generator has none, or fewer than the others. */
  missing: z.boolean(),
});
export type RatingsView = z.infer<typeof ratingsView>;

export const ratingChannels = {
  'ratings.get': channel(z.strictObject(one), ratingsView),
  /** Writes the passages that are missing, so that each source has so many. */
  'ratings.write': longChannel(
    z.strictObject({ ...one, passages: z.int().min(1).max(500) }),
    ratingsView,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Kept at once. */
  'ratings.rate': channel(z.strictObject({ ...one, passage, verdict: z.enum(verdicts) }), nothing),
  /** Takes back what was said of a passage: it waits again. */
  'ratings.withdraw': channel(z.strictObject({ ...one, passage }), nothing),
  'ratings.report': channel(z.strictObject(one), ratingReportSchema),
  /** What the project's newest reward model makes of the same passages. */
  'ratings.opinion': channel(z.strictObject(one), ratingOpinionSchema),
};
