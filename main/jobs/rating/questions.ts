/**
 * Turns written passages into questions, in an order and with sides that do not reveal the author.
 * What identifies an author stays in this file; `blindOf` returns what a rater may see.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { BlindQuestion, PairAgainst, RatingTask } from '../../../shared/rating.js';
import { wordsOf } from '../../../shared/base/words-of.js';
import type { RatingPassage } from '../../engine/cycle/rating-passages.js';
import { otherSide } from '../../engine/judging/votes.js';
import { modelNamesIn } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { passageId, ratingKey, readPassages, taskFolder } from '../../storage/projects/ratings.js';

/** The held-out text among the sources; the others are generators. */
export const naturalSource = 'natural';

type Side = 'first' | 'second';

const repeat_of = z.string().optional();
/** A question with its authors. */
export const questionSchema = z.discriminatedUnion('task', [
  z
    .object({
      task: z.literal('pair'),
      id: z.string(),
      prompt: z.string(),
      first: z.string(),
      second: z.string(),
      texts: z.object({ first: z.string(), second: z.string() }).readonly(),
      /** The pair that this one repeats with swapped sides. */
      repeat_of,
    })
    .readonly(),
  z
    .object({
      task: z.literal('boundary'),
      id: z.string(),
      source: z.string(),
      words: z.array(z.string()).readonly(),
      /** Number of the first generated word, from 1; null: none. */
      truth: z.int().nullable(),
      repeat_of,
    })
    .readonly(),
]);
export type Question = z.infer<typeof questionSchema>;

/** Selects questions of a project; `against` is null except for pairs. */
export interface Queue {
  readonly task: RatingTask;
  readonly against: PairAgainst | null;
}

/** One in ten questions is repeated eight later; near the end sooner, but at least four later. */
const REPEATED = 10;
const REPEATED_AFTER = 8;
const REPEATED_SOONEST = 4;

/** Lists what the newest generator can be compared with, the most useful first. */
export function comparisonsOf(
  folder: string,
): readonly { readonly against: PairAgainst; readonly first: string; readonly second: string }[] {
  const models = modelNamesIn(openProject(folder));
  const [base] = models;
  const [previous, first] = [models.at(-2), models.at(-1)];
  if (first === undefined || base === undefined) return [];
  return [
    ...(previous === undefined ? [] : [{ against: 'previous', first, second: previous } as const]),
    ...(previous === undefined || base === previous ? [] : [{ against: 'base', first, second: base } as const]),
    { against: 'text', first, second: naturalSource },
  ];
}

export const comparisonAgainst = (folder: string, against: PairAgainst | null) =>
  comparisonsOf(folder).find((one) => one.against === against);

/** Returns the queue as requested, or with the most useful comparison if that one does not exist. */
export function resolved(folder: string, { task, against }: Queue): Queue {
  if (task !== 'pair') return { task, against: null };
  const found = comparisonAgainst(folder, against) ?? comparisonsOf(folder)[0];
  return { task, against: found?.against ?? null };
}

/** Lists the sources of a queue's passages. */
export function sourcesOf(folder: string, { task, against }: Queue): readonly string[] {
  if (task === 'boundary') return [naturalSource, ...modelNamesIn(openProject(folder)).slice(-1)];
  const found = comparisonAgainst(folder, against);
  return found ? [found.second, found.first] : [];
}

/** Returns how many passages a source needs; one boundary passage in five is natural to the end. */
export const passagesWanted = ({ task }: Queue, source: string, count: number): number =>
  task === 'boundary' && source === naturalSource ? Math.ceil(count / 4) : count;

/** Counts the passages of each generator, and reports whether a source has too few. */
export function passageCounts(folder: string, queue: Queue): { readonly passages: number; readonly missing: boolean } {
  const counts = sourcesOf(folder, queue).map((source) => ({
    source,
    count: passagesOf(folder, queue.task, source).length,
  }));
  const passages = Math.max(
    0,
    ...counts.map(({ source, count }) => (source === naturalSource && queue.task === 'boundary' ? 0 : count)),
  );
  return {
    passages,
    missing: counts.some(({ source, count }) => count < passagesWanted(queue, source, passages)),
  };
}

const passagesOf = (folder: string, task: RatingTask, source: string): readonly RatingPassage[] =>
  readPassages(taskFolder(projectPaths(folder).ratings, task), source);

/** Returns every question in order; the latest queue is cached, as each answer needs it. */
export function questionsOf(folder: string, queue: Queue): readonly Question[] {
  const sources = sourcesOf(folder, queue);
  const passages = sources.map((source) => passagesOf(folder, queue.task, source));
  if (passages.every(({ length }) => length === 0)) return [];
  const key = ratingKey(projectPaths(folder).ratings);
  const name = JSON.stringify([folder, key, queue, sources]);
  // Unchanged passages are the same arrays.
  if (latest?.name === name && latest.passages.every((before, at) => before === passages[at])) return latest.questions;
  const made = queue.task === 'pair' ? pairsOf(sources, passages) : boundariesOf(sources, passages);
  const inOrder = made.toSorted((a, b) => (mixed(key, a.id) < mixed(key, b.id) ? -1 : 1));
  latest = { name, passages, questions: withRepeats(inOrder, key) };
  return latest.questions;
}

let latest: { readonly name: string; readonly passages: Passages; readonly questions: readonly Question[] } | null =
  null;

type Passages = readonly (readonly RatingPassage[])[];

/** Every pair of two sources, whichever are compared now. */
export const pairsBetween = (folder: string, first: string, second: string): readonly Question[] =>
  pairsOf([second, first], [passagesOf(folder, 'pair', second), passagesOf(folder, 'pair', first)]);

function boundariesOf(sources: readonly string[], passages: Passages): readonly Question[] {
  return sources.flatMap((source, at) =>
    (passages[at] ?? []).map((passage): Question => {
      const words = wordsOf(passage.prompt + passage.text);
      let end = 0;
      const first = words.findIndex((word) => {
        const last = end + word.trimEnd().length;
        end += word.length;
        return last > passage.prompt.length;
      });
      const truth = source === naturalSource || first < 0 ? null : first + 1;
      return { task: 'boundary', id: passageId(`boundary ${source}`, passage), source, words, truth };
    }),
  );
}

/** Pairs the passages of two sources by prompt; identical texts are no question. */
function pairsOf([second = '', first = '']: readonly string[], [others = [], own = []]: Passages): readonly Question[] {
  return own.flatMap(({ prompt, text }, place): readonly Question[] => {
    const other = others[place];
    if (!other || other.text === text || other.prompt !== prompt) return [];
    const id = digest(['pair', first, second, prompt, text, other.text]);
    return [{ task: 'pair', id, prompt, first, second, texts: { first: text, second: other.text } }];
  });
}

/** Repeats some questions later, pairs with swapped sides, to measure the rater's self-consistency. */
function withRepeats(questions: readonly Question[], key: string): readonly Question[] {
  const later = new Map<number, Question>();
  const all: Question[] = [];
  for (const [at, question] of questions.entries()) {
    all.push(question);
    if (isOneIn(REPEATED, mixed(key, question.id).slice(0, 4)) && at + REPEATED_SOONEST < questions.length)
      later.set(at + REPEATED_AFTER, { ...question, id: digest(['again', question.id]), repeat_of: question.id });
    const due = later.get(at);
    if (due) all.push(due);
    later.delete(at);
  }
  return [...all, ...later.values()];
}

/** Returns what a rater may see. @param shown the side of a pair that comes first */
export function blindOf(question: Question, id: string, shown: Side): BlindQuestion {
  if (question.task === 'boundary') return { task: 'boundary', id, words: question.words };
  const { prompt, texts } = question;
  return { task: 'pair', id, prompt, first: texts[shown], second: texts[otherSide[shown]] };
}

/** Draws which side of a pair a rater sees first; a repeat swaps sides. */
export function shownFirst(key: string, question: Question, rater: string): Side {
  const { id, repeat_of: original } = question;
  const side: Side = isOneIn(2, mixed(key, `${original ?? id} ${rater}`).slice(0, 4)) ? 'first' : 'second';
  return original === undefined ? side : otherSide[side];
}

/** Hashes with the project's secret: order, ids and sides derived from it reveal nothing outside the project. */
export const mixed = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex').slice(0, 16);

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

const isOneIn = (count: number, hex: string): boolean => Number.parseInt(hex, 16) % count === 0;
