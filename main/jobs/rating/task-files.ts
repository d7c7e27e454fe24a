/**
 * Rating tasks for other people: what is exported, and what comes back. Whose passages they are stays here, in
 * `ratings/tasks`; a result is merged answer by answer, the latest one of each counting, and is refused where it was
 * edited or has come before.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import type { Language } from '../../../shared/language.js';
import type { BlindQuestion } from '../../../shared/rating.js';
import {
  AnswersRefused,
  hashedPart,
  MAX_RESULT_BYTES,
  taskResultSchema,
  type AnswerRefusal,
  type ExportedTask,
  type TaskResult,
} from '../../../shared/rating-task.js';
import { UserError } from '../../../shared/errors.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { readJson } from '../../storage/disk/json-file.js';
import { openProject } from '../../storage/projects/project-folder.js';
import {
  addVotes,
  questionOf,
  readVotes,
  voteName,
  type StoredVote,
  type VoteRow,
} from '../../storage/projects/rating-votes.js';
import { ratingKey } from '../../storage/projects/ratings.js';
import { voteOn } from './desk.js';
import { taskPage } from './task-page.js';
import { blindOf, mixed, questionSchema, questionsOf, shownFirst, type Asked } from './questions.js';

const taskSchema = z.object({
  format_version: z.literal(1),
  questions: z.array(z.object({ id: z.string(), shown: z.enum(['first', 'second']), question: questionSchema })),
});

const taskFile = (ratings: string, id: string): string => path.join(ratings, 'tasks', `${id}.json`);

/** Notes what the task holds, and gives what others may see of it. @throws UserError `bad_input` without passages */
export function exportTask(folder: string, asked: Asked): ExportedTask {
  const { ratings } = openProject(folder).paths;
  const questions = questionsOf(folder, asked);
  if (questions.length === 0) {
    throw new UserError({
      code: 'bad_input',
      message: 'There are no passages to rate yet.',
      hint: 'Have them written first.',
    });
  }
  const key = ratingKey(ratings);
  const named = questions.map((question, at) => {
    const shown = shownFirst(key, question, 'exported');
    return { id: `q${at + 1}`, shown, question };
  });
  const blind: readonly BlindQuestion[] = named.map(({ id, shown, question }) => blindOf(question, id, shown));
  const task_id = mixed(key, `task ${JSON.stringify(blind)}`) + mixed(key, `more ${JSON.stringify(blind)}`);
  writeFileAtomic(taskFile(ratings, task_id), `${JSON.stringify({ format_version: 1, questions: named })}\n`);
  return { task_id, task: asked.task, questions: [...blind] };
}

/** The same as a file that opens in any browser. @throws UserError as `exportTask`, and `file_not_writable`, `disk_full` */
export function writeTask(
  folder: string,
  asked: Asked,
  { file, language }: { readonly file: string; readonly language: Language },
): ExportedTask {
  const task = exportTask(folder, asked);
  writeFileAtomic(file, taskPage(task, { language, sends: false }).html);
  return task;
}

interface Imported {
  readonly rater: string;
  /** Answers that are new, and that replaced or took back an earlier one of the same person. */
  readonly added: number;
  readonly changed: number;
}

/**
 * Merges what somebody sent back.
 * @throws UserError `bad_input`, with what is wrong, where it is no result, of another project, edited or imported already
 */
export function importResult(folder: string, text: string): Imported {
  const merged = mergeResult(folder, text);
  if (merged === null) {
    const message = 'These answers are imported already.';
    throw new UserError({ code: 'bad_input', message, hint: 'There is nothing left to do.', field: 'import' });
  }
  return merged;
}

/** @returns null where nothing of it is new. @throws UserError as `importResult`, but for that */
export function mergeResult(folder: string, text: string): Imported | null {
  const { ratings } = openProject(folder).paths;
  const result = parsed(text);
  const task = readJson(taskFile(ratings, result.task_id), taskSchema);
  if (!task) {
    const message = 'These answers belong to a rating task of another project.';
    throw refused('other_project', message, 'Import them where it was exported.');
  }
  if (createHash('sha256').update(hashedPart(result)).digest('hex') !== result.hash) {
    throw refused('changed', 'The file was changed after it was downloaded.', AS_WRITTEN);
  }
  const rater = `${result.rater} (${result.rater_id.slice(0, 4)})`;
  const known = new Map(task.questions.map((one) => [one.id, one]));
  const { votes, undone, undos } = readVotes(ratings);
  const rows: VoteRow[] = [];
  let [added, changed] = [0, 0];
  for (const { question: id, answer, seconds, at } of result.answers) {
    const found = known.get(id);
    if (!found) throw refused('no_question', `There is no question ${id} in this task.`, AS_WRITTEN);
    const isOwn = (vote: StoredVote) => vote.rater === rater && questionOf(vote) === found.question.id;
    const standing = votes.find(isOwn);
    const own = [...undone.filter(isOwn), ...(standing ? [standing] : [])];
    const name = voteName(found.question.task, found.question.id, rater, own.length);
    const times = [
      ...own.map((vote) => vote.at),
      ...[name, ...own.map(({ vote }) => vote)].map((one) => undos.get(one)),
    ];
    // What is known is as new, or newer: files may come in any order.
    if (times.some((time) => time !== undefined && time >= at)) continue;
    if (standing || answer === null) rows.push({ undo: standing?.vote ?? name, at });
    if (standing) changed++;
    if (answer === null) continue;
    if (!standing) added++;
    rows.push(voteOn(found.question, answer, found.shown, { vote: name, rater, seconds, at, from: result.hash }));
  }
  if (rows.length === 0) return null;
  addVotes(ratings, rows);
  return { rater, added, changed };
}

/** @throws UserError `bad_input` for what no page has written */
function parsed(text: string): TaskResult {
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES) throw noResult();
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch {
    throw noResult();
  }
  const result = taskResultSchema.safeParse(value);
  if (!result.success) throw noResult();
  const names = result.data.answers.map(({ question }) => question);
  if (new Set(names).size < names.length) throw noResult();
  return result.data;
}

const AS_WRITTEN = 'Ask for the file as the page wrote it.';

const refused = (why: AnswerRefusal, message: string, hint: string) =>
  new AnswersRefused(why, { message, hint, field: 'import' });

const noResult = () =>
  refused(
    'damaged',
    'This is no file of answers, or it is damaged.',
    'Choose the JSON file that the page of the rating task wrote.',
  );
