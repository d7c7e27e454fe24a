/**
 * Exports rating tasks for other people and merges the results.
 * The authors stay in `ratings/tasks`. Of each answer the latest counts; an edited or known result is refused.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import {
  hashedPart,
  MAX_RESULT_BYTES,
  taskResultSchema,
  type ExportedTask,
  type TaskResult,
} from '../../../shared/rating-task.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { readJson } from '../../storage/disk/json-file.js';
import { openProject } from '../../storage/projects/project-folder.js';
import {
  addVotes,
  isKnownAnswer,
  questionOf,
  readVotes,
  voteName,
  type StoredVote,
  type VoteRow,
} from '../../storage/projects/rating-votes.js';
import { ratingKey } from '../../storage/projects/ratings.js';
import { voteOn } from './desk.js';
import { blindOf, mixed, questionSchema, questionsOf, shownFirst, type Queue } from './questions.js';
import { taskPage } from './task-page.js';

const taskSchema = z.object({
  format_version: z.literal(1),
  questions: z.array(z.object({ id: z.string(), shown: z.enum(['first', 'second']), question: questionSchema })),
});

const taskFile = (ratings: string, id: string): string => path.join(ratings, 'tasks', `${id}.json`);

/** Writes the task as one HTML file. @throws UserError `bad_input` without passages; `file_not_writable`, `disk_full` */
export function writeTask(
  folder: string,
  queue: Queue,
  { file, language }: { readonly file: string; readonly language: Language },
): ExportedTask {
  const { ratings } = openProject(folder).paths;
  const questions = questionsOf(folder, queue);
  if (questions.length === 0) {
    const message = localized('rating.faults.no_passages');
    throw new UserError({ code: 'bad_input', message, hint: localized('rating.faults.generate_first') });
  }
  const key = ratingKey(ratings);
  const named = questions.map((question, at) => ({
    id: `q${at + 1}`,
    shown: shownFirst(key, question, 'exported'),
    question,
  }));
  const blind = named.map(({ id, shown, question }) => blindOf(question, id, shown));
  const task_id = mixed(key, `task ${JSON.stringify(blind)}`) + mixed(key, `more ${JSON.stringify(blind)}`);
  writeFileAtomic(taskFile(ratings, task_id), `${JSON.stringify({ format_version: 1, questions: named })}\n`);
  const task = { task_id, task: queue.task, questions: blind };
  writeFileAtomic(file, taskPage(task, language));
  return task;
}

interface Imported {
  readonly rater: string;
  readonly added: number;
  /** Answers that replaced or undid an earlier one of the same rater. */
  readonly changed: number;
}

/** @throws UserError `bad_input` if the text is no result, of another project, edited or already imported */
export function importResult(folder: string, text: string): Imported {
  const { ratings } = openProject(folder).paths;
  const result = parsed(text);
  const task = readJson(taskFile(ratings, result.task_id), taskSchema);
  if (!task) {
    throw refused(localized('rating.faults.other_project'), localized('rating.faults.import_there'));
  }
  if (createHash('sha256').update(hashedPart(result)).digest('hex') !== result.hash)
    throw refused(localized('rating.faults.changed'), AS_WRITTEN);
  const rater = `${result.rater} (${result.rater_id.slice(0, 4)})`;
  const known = new Map(task.questions.map((one) => [one.id, one]));
  const { votes, undone, undos } = readVotes(ratings);
  const rows: VoteRow[] = [];
  let [added, changed] = [0, 0];
  for (const { question: id, answer, seconds, at } of result.answers) {
    const found = known.get(id);
    if (!found) throw refused(localized('rating.faults.no_question', { id }), AS_WRITTEN);
    if (found.question.task === 'pair' && isKnownAnswer(found.question)) continue;
    const isOwn = (vote: StoredVote) => vote.rater === rater && questionOf(vote) === found.question.id;
    const standing = votes.find(isOwn);
    const own = [...undone.filter(isOwn), ...(standing ? [standing] : [])];
    const name = voteName(found.question.task, found.question.id, rater, own.length);
    const times = [
      ...own.map((vote) => vote.at),
      ...[name, ...own.map(({ vote }) => vote)].map((one) => undos.get(one)),
    ];
    // Files may arrive in any order: what is known is as new, or newer.
    if (times.some((time) => time !== undefined && time >= at)) continue;
    if (standing || answer === null) rows.push({ undo: standing?.vote ?? name, at });
    if (standing) changed++;
    if (answer === null) continue;
    if (!standing) added++;
    rows.push(voteOn(found.question, answer, found.shown, { vote: name, rater, seconds, at, from: result.hash }));
  }
  if (rows.length === 0) throw refused(localized('rating.faults.imported'), localized('rating.faults.nothing_left'));
  addVotes(ratings, rows);
  return { rater, added, changed };
}

/** @throws UserError `bad_input` for anything that the page does not write */
function parsed(text: string): TaskResult {
  try {
    if (Buffer.byteLength(text) > MAX_RESULT_BYTES) throw new RangeError('too long');
    const result = taskResultSchema.parse(parseBoundedJson(text));
    const names = result.answers.map(({ question }) => question);
    if (new Set(names).size < names.length) throw new RangeError('one question twice');
    return result;
  } catch {
    throw refused(localized('rating.faults.no_answers'), localized('rating.faults.choose_file'));
  }
}

const AS_WRITTEN = localized('rating.faults.ask_again');

const refused = (message: Message, hint: Message) =>
  new UserError({ code: 'bad_input', message, hint, field: 'import' });
