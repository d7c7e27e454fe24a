/**
 * A rating task for other people: one HTML file out, a small JSON file back.
 * Results merge answer by answer, the latest of each counting, so several files of one rater may arrive in any order.
 */
import { z } from 'zod';
import { answerSchema, raterSchema, type BlindQuestion, type RatingTask } from './rating.js';

/** What the HTML file contains. */
export interface ExportedTask {
  /** 128 bits of a hash of the questions. */
  readonly task_id: string;
  readonly task: RatingTask;
  readonly questions: readonly BlindQuestion[];
}

const givenAnswer = z.strictObject({
  question: z.string().min(1).max(16),
  /** Null: undone, and not answered again. */
  answer: answerSchema.nullable(),
  seconds: z.number().min(0).max(1e9),
  /** ISO 8601 as JavaScript writes it; compared as text. */
  at: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

/** The file that comes back. */
export const taskResultSchema = z.strictObject({
  format: z.literal('verisim-rating-result'),
  format_version: z.literal(1),
  task_id: z.string().regex(/^[0-9a-f]{32}$/),
  rater: raterSchema,
  /** Random, so that two people of one name stay two. */
  rater_id: z.string().regex(/^[0-9a-f]{8}$/),
  answers: z.array(givenAnswer).max(2000),
  /** SHA-256 of `hashedPart`, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type TaskResult = z.infer<typeof taskResultSchema>;

/** Serializes what the hash covers; the page's own script does the same. */
export const hashedPart = ({
  task_id,
  rater,
  rater_id,
  answers,
}: Pick<TaskResult, 'task_id' | 'rater' | 'rater_id' | 'answers'>): string =>
  JSON.stringify([
    ...[task_id, rater, rater_id],
    answers.map(({ question, answer, seconds, at }) => [question, answer, seconds, at]),
  ]);

/** A file of a few hundred answers is a hundredth of this. */
export const MAX_RESULT_BYTES = 1 << 20;
