/**
 * A rating task for other people: one HTML file out, a small JSON file back. What is in the first says nothing about whose
 * passages they are; the second is checked by its hash, and merged answer by answer, the latest one of each counting, so
 * that it does not matter which of several files of one person comes first.
 */
import { z } from 'zod';
import { UserError, type Fault } from './errors.js';
import { answerSchema, raterSchema, type BlindQuestion, type RatingTask } from './rating.js';

/** 128 bits of hash: the task's name, which follows from its questions. */
const taskId = z.string().regex(/^[0-9a-f]{32}$/);

/** What the HTML file holds. */
export interface ExportedTask {
  readonly task_id: string;
  readonly task: RatingTask;
  readonly questions: readonly BlindQuestion[];
}

const givenAnswer = z.strictObject({
  question: z.string().min(1).max(16),
  /** Null: taken back, and not answered again. */
  answer: answerSchema.nullable(),
  seconds: z.number().min(0).max(1e9),
  /** ISO 8601, as JavaScript writes it: compared letter by letter. */
  at: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

/** What comes back. */
export const taskResultSchema = z.strictObject({
  format: z.literal('verisim-rating-result'),
  format_version: z.literal(1),
  task_id: taskId,
  rater: raterSchema,
  /** Made up by the page, so that two people of one name are two. */
  rater_id: z.string().regex(/^[0-9a-f]{8}$/),
  answers: z.array(givenAnswer).max(2000),
  /** SHA-256 of `hashedPart`, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type TaskResult = z.infer<typeof taskResultSchema>;

/** What the hash is of; the page's own script writes the same. */
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

/** Why answers are not taken. */
export type AnswerRefusal = 'other_project' | 'changed' | 'no_question' | 'no_answer' | 'damaged';

/** Says by its code why; its sentences are for whoever imports a file. */
export class AnswersRefused extends UserError {
  constructor(
    readonly refusal: AnswerRefusal,
    said: Omit<Fault, 'code'>,
  ) {
    super({ code: 'bad_input', ...said });
  }
}

/** A file of a few hundred answers is a hundredth of this. */
export const MAX_RESULT_BYTES = 1 << 20;
