/** Channels of blind rating: questions that do not identify their author, answers, and totals in reports. */
import { z } from 'zod';
import { judgingReportSchema, ratingReportFormatNames } from '../judging-report.js';
import { comparisonSchema } from '../judging.js';
import { answerSchema, blindQuestionSchema, pairAgainst, ratingTasks } from '../rating.js';
import { channel, longChannel } from './channel.js';
import { fileHandle, fileInfo, projectId } from './values.js';

const queue = { id: projectId, task: z.enum(ratingTasks), against: z.enum(pairAgainst).nullable() };

const ratingsView = z.strictObject({
  task: z.enum(ratingTasks),
  /** As requested, or the first of `comparisons` if that does not exist. */
  against: z.enum(pairAgainst).nullable(),
  /** What the newest generator can be compared with, the most useful first. */
  comparisons: z
    .array(z.strictObject({ against: z.enum(pairAgainst), first: z.string(), second: z.string() }).readonly())
    .readonly(),
  /** The next questions, in the same order each time; `left` counts all. */
  waiting: z.array(blindQuestionSchema).readonly(),
  left: z.int(),
  rated: z.int(),
  passages: z.int(),
  missing: z.boolean(),
  /** All votes on this comparison so far; null except for pairs. */
  comparison: comparisonSchema.nullable(),
  /** Answers of earlier versions that no longer count. */
  ignored: z.int(),
});
export type RatingsView = z.infer<typeof ratingsView>;

export const ratingChannels = {
  'ratings.get': channel(z.strictObject(queue), ratingsView),
  /** Writes missing passages until each source has this many. */
  'ratings.write': longChannel(
    z.strictObject({ ...queue, passages: z.int().min(1).max(500) }),
    ratingsView,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Saved before the reply; the same answer twice is one vote. `seconds` since the question appeared. */
  'ratings.vote': channel(
    z.strictObject({ ...queue, question: z.string().min(1).max(64), answer: answerSchema, seconds: z.number().min(0) }),
    ratingsView,
  ),
  'ratings.undo': channel(z.strictObject(queue), ratingsView),
  'ratings.results': channel(z.strictObject({ id: projectId }), judgingReportSchema),
  'ratings.export': channel(
    z.strictObject({ ...queue, file: fileHandle, language: z.string() }),
    z.strictObject({ file: fileInfo }),
  ),
  'ratings.import': channel(
    z.strictObject({ id: projectId, file: fileHandle }),
    z.strictObject({ rater: z.string(), added: z.int(), changed: z.int() }),
  ),
  'ratings.saveReport': channel(
    z.strictObject({
      id: projectId,
      format: z.enum(ratingReportFormatNames),
      file: fileHandle,
      language: z.string(),
    }),
    z.strictObject({ file: fileInfo, judgements: z.int() }),
  ),
};
