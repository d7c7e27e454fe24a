/**
 * What there is to ask of a project: questions made of the passages that are written, in an order and with sides that say
 * nothing. Everything that would tell whose a passage is stays here; `blindOf` gives what a person may see.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { BlindQuestion, PairAgainst, RatingTask } from '../../../shared/rating.js';
import { wordsOf } from '../../../shared/base/words-of.js';
import type { RatingPassage } from '../../engine/cycle/ratings.js';
import { otherSide } from '../../engine/judging/votes.js';
import { modelNamesIn } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { passageId, ratingKey, readPassages, taskFolder } from '../../storage/projects/ratings.js';

/** The held-out text's own name among the sources; the others are generators. */
export const naturalSource = 'natural';
/** Natural words in disorder: what every reader finds worse, to see whether somebody reads at all. */
const shuffledSource = 'shuffled';

type Side = 'first' | 'second';

const passage = z.object({ prompt: z.string(), text: z.string() }).readonly();
const side = z.enum(['first', 'second']);

const singleQuestion = z.object({ task: z.literal('single'), id: z.string(), source: z.string(), passage }).readonly();
const pairQuestion = z
  .object({
    task: z.literal('pair'),
    id: z.string(),
    prompt: z.string(),
    first: z.string(),
    second: z.string(),
    texts: z.object({ first: z.string(), second: z.string() }).readonly(),
    /** The pair that it repeats, with its sides swapped. */
    repeat_of: z.string().optional(),
    /** The one that is better, where that is known. */
    check: side.optional(),
  })
  .readonly();
const boundaryQuestion = z
  .object({
    task: z.literal('boundary'),
    id: z.string(),
    source: z.string(),
    words: z.array(z.string()).readonly(),
    /** The first word that is not natural, from 1; null: there is none. */
    truth: z.int().nullable(),
    /** The passage that it shows again. */
    repeat_of: z.string().optional(),
  })
  .readonly();
/** A question with all that is known of it. */
export const questionSchema = z.discriminatedUnion('task', [singleQuestion, pairQuestion, boundaryQuestion]);
export type Question = z.infer<typeof questionSchema>;
type PairQuestion = z.infer<typeof pairQuestion>;
type BoundaryQuestion = z.infer<typeof boundaryQuestion>;

/** Which of a project's questions: `against` is null but for pairs. */
export interface Asked {
  readonly task: RatingTask;
  readonly against: PairAgainst | null;
}

interface PairComparison {
  readonly against: PairAgainst;
  /** The newest generator. */
  readonly first: string;
  readonly second: string;
}

/** One in so many pairs is asked again, so much later, with its sides swapped; one in so many has a known answer. */
const REPEATED = 10;
const REPEATED_AFTER = 8;
/** Near the end it comes sooner, but not while one still knows what one said. */
const REPEATED_SOONEST = 4;
const CHECKED = 20;

/** Of the questions, repeats and those with a known answer. */
export const TESTS_SHARE = 1 - 1 / (1 + 1 / REPEATED + 1 / CHECKED);

/** What the newest generator can be compared with, the most telling first. */
export function comparisonsOf(folder: string): readonly PairComparison[] {
  const models = modelNamesIn(openProject(folder));
  const newest = models.at(-1);
  const [base] = models;
  const previous = models.at(-2);
  if (newest === undefined || base === undefined) return [];
  return [
    ...(previous === undefined ? [] : [{ against: 'previous', first: newest, second: previous } as const]),
    ...(previous === undefined || base === previous ? [] : [{ against: 'base', first: newest, second: base } as const]),
    { against: 'text', first: newest, second: naturalSource },
  ];
}

/** What is asked, or the most telling comparison where that one is not there. */
export function resolved(folder: string, { task, against }: Asked): Asked {
  if (task !== 'pair') return { task, against: null };
  const there = comparisonsOf(folder).map((one) => one.against);
  return { task, against: against !== null && there.includes(against) ? against : (there[0] ?? null) };
}

/** Whose passages the questions are made of. */
export function sourcesOf(folder: string, { task, against }: Asked): readonly string[] {
  const models = modelNamesIn(openProject(folder));
  switch (task) {
    case 'single':
      return [naturalSource, ...models];
    case 'boundary':
      return [naturalSource, ...models.slice(-1)];
    case 'pair': {
      const found = comparisonsOf(folder).find((one) => one.against === against);
      return found ? [...new Set([naturalSource, found.second, found.first])] : [];
    }
  }
}

/** So many passages of the text stand beside `count` of a generator where somebody looks for the boundary. */
export const passagesWanted = (task: RatingTask, source: string, count: number): number =>
  task === 'boundary' && source === naturalSource ? Math.ceil(count / 4) : count;

/** How many passages there are to judge, and whether a source has fewer than that. */
export function passageCounts(folder: string, asked: Asked): { readonly passages: number; readonly missing: boolean } {
  const counts = sourcesOf(folder, asked).map((source) => ({
    source,
    count: passagesOf(folder, asked, source).length,
  }));
  const most = counts.filter(
    ({ source }) => asked.task === 'single' || source !== naturalSource || counts.length === 1,
  );
  const passages = Math.max(0, ...most.map(({ count }) => count));
  return {
    passages,
    missing: counts.some(({ source, count }) => count < passagesWanted(asked.task, source, passages)),
  };
}

const passagesOf = (folder: string, { task }: Pick<Asked, 'task'>, source: string): readonly RatingPassage[] =>
  readPassages(taskFolder(projectPaths(folder).ratings, task), source) ?? none;

const none: readonly RatingPassage[] = [];

/** Every question that can be asked, in the order in which it comes. */
export function questionsOf(folder: string, asked: Asked): readonly Question[] {
  const from = sourcesOf(folder, asked).map((source) => passagesOf(folder, asked, source));
  if (from.every((passages) => passages.length === 0)) return [];
  const key = ratingKey(projectPaths(folder).ratings);
  const name = JSON.stringify([folder, key, asked.task, asked.against]);
  // Passages that were not written anew are the same arrays.
  const known = lately.get(name);
  if (known?.from.length === from.length && known.from.every((passages, at) => passages === from[at]))
    return known.questions;
  const questions = madeQuestions(folder, asked);
  lately.delete(name);
  lately.set(name, { from, questions });
  for (const [oldest] of lately) if (lately.size > MOST_KEPT) lately.delete(oldest);
  return questions;
}

/** The same are wanted with every answer. */
const lately = new Map<string, { from: readonly (readonly RatingPassage[])[]; questions: readonly Question[] }>();
const MOST_KEPT = 8;

function madeQuestions(folder: string, asked: Asked): readonly Question[] {
  const order = (questions: readonly Question[]) => {
    if (questions.length === 0) return [];
    const key = ratingKey(projectPaths(folder).ratings);
    const place = new Map(questions.map(({ id }) => [id, mixed(key, id)]));
    return questions.toSorted((a, b) => ((place.get(a.id) ?? '') < (place.get(b.id) ?? '') ? -1 : 1));
  };
  switch (asked.task) {
    case 'single':
      return order(
        sourcesOf(folder, asked).flatMap((source) =>
          passagesOf(folder, asked, source).map((passage): Question => {
            return { task: 'single', id: passageId(source, passage), source, passage };
          }),
        ),
      );
    case 'boundary':
      return withRepeats(
        folder,
        order(
          sourcesOf(folder, asked).flatMap((source) =>
            passagesOf(folder, asked, source).map((passage) => boundaryOf(source, passage)),
          ),
        ) as readonly BoundaryQuestion[],
        () => [],
      );
    case 'pair': {
      const pairs = order(pairQuestions(folder, asked)) as readonly PairQuestion[];
      return withRepeats(folder, pairs, createChecks(folder));
    }
  }
}

function boundaryOf(source: string, passage: RatingPassage): BoundaryQuestion {
  const words = wordsOf(passage.prompt + passage.text);
  let end = 0;
  const at = words.findIndex((word) => {
    const last = end + word.trimEnd().length;
    end += word.length;
    return last > passage.prompt.length;
  });
  const truth = source === naturalSource || at < 0 ? null : at + 1;
  return { task: 'boundary', id: passageId(`boundary ${source}`, passage), source, words, truth };
}

function pairQuestions(folder: string, { against }: Asked): readonly PairQuestion[] {
  const comparison = comparisonsOf(folder).find((one) => one.against === against);
  if (!comparison) return [];
  return pairsBetween(folder, comparison.first, comparison.second);
}

/** Every pair of two sources that is written, whether or not it is still asked about. */
export function pairsBetween(folder: string, first: string, second: string): readonly PairQuestion[] {
  const others = passagesOf(folder, { task: 'pair' }, second);
  return passagesOf(folder, { task: 'pair' }, first).flatMap((passage, place) => {
    const other = others[place];
    // What is alike to the letter is no question.
    if (!other || other.text === passage.text || other.prompt !== passage.prompt) return [];
    return [pairOf(first, second, passage.prompt, { first: passage.text, second: other.text })];
  });
}

const pairOf = (
  first: string,
  second: string,
  prompt: string,
  texts: Readonly<Record<Side, string>>,
): PairQuestion => ({
  task: 'pair',
  id: digest(['pair', first, second, prompt, texts.first, texts.second]),
  prompt,
  first,
  second,
  texts,
});

/**
 * Some asked again later (pairs with their sides swapped), and what comes beside a question: what says how far a rater can
 * be trusted.
 * @param beside whose answers are known
 */
function withRepeats<Q extends PairQuestion | BoundaryQuestion>(
  folder: string,
  questions: readonly Q[],
  beside: (question: Q, chance: string) => readonly Q[],
): readonly Q[] {
  if (questions.length === 0) return [];
  const key = ratingKey(projectPaths(folder).ratings);
  const later = new Map<number, Q>();
  const all: Q[] = [];
  for (const [at, question] of questions.entries()) {
    const chance = mixed(key, question.id);
    all.push(question, ...beside(question, chance));
    if (isOneIn(REPEATED, chance.slice(0, 4)) && at + REPEATED_SOONEST < questions.length)
      later.set(at + REPEATED_AFTER, { ...question, id: digest(['again', question.id]), repeat_of: question.id });
    const due = later.get(at);
    if (due) all.push(due);
    later.delete(at);
  }
  return [...all, ...later.values()];
}

/** Beside some pairs one whose answer is known. */
function createChecks(folder: string) {
  const natural = passagesOf(folder, { task: 'pair' }, naturalSource);
  return ({ id }: PairQuestion, chance: string): readonly PairQuestion[] => {
    const passage = natural[Number.parseInt(chance.slice(8, 12), 16) % Math.max(1, natural.length)];
    return isOneIn(CHECKED, chance.slice(4, 8)) && passage ? checkOf(id, passage) : [];
  };
}

/** Natural text, and the same words in disorder. */
function checkOf(beside: string, { prompt, text }: RatingPassage): readonly PairQuestion[] {
  const words = wordsOf(text);
  const shuffled = words
    .map((word, at) => ({ word: word.trim(), place: digest([beside, String(at)]) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ word }) => word)
    .join(' ');
  if (new Set(words).size < 4) return [];
  const pair = pairOf(naturalSource, shuffledSource, prompt, { first: text, second: shuffled });
  return [{ ...pair, id: digest(['check', beside, pair.id]), check: 'first' }];
}

/** What a person may see of a question. @param shown which of a pair stands first */
export function blindOf(question: Question, id: string, shown: Side): BlindQuestion {
  switch (question.task) {
    case 'single':
      return { task: 'single', id, prompt: question.passage.prompt, text: question.passage.text };
    case 'boundary':
      return { task: 'boundary', id, words: question.words };
    case 'pair':
      return {
        task: 'pair',
        id,
        prompt: question.prompt,
        first: question.texts[shown],
        second: question.texts[otherSide[shown]],
      };
  }
}

/** Which of a pair this rater is shown first; a repeat is the other way round. */
export function shownFirst(key: string, question: Question, rater: string): Side {
  const original = question.task === 'pair' ? question.repeat_of : undefined;
  const side: Side = isOneIn(2, mixed(key, `${original ?? question.id} ${rater}`).slice(0, 4)) ? 'first' : 'second';
  return original === undefined ? side : otherSide[side];
}

/** A hash that nobody can compute who has not the project: order, names and sides that follow from it say nothing. */
export const mixed = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex').slice(0, 16);

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** What tells a prompt from others. */
export const promptId = (prompt: string): string => digest(['prompt', prompt]);

const isOneIn = (count: number, hex: string): boolean => Number.parseInt(hex, 16) % count === 0;
