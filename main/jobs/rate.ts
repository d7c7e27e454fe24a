/**
 * A person rates the writing of a project's generators, blind among passages of the text (seed 000, part 4, step 4).
 * Writes the passages that are not there yet, asks, and reports how often each was taken for natural.
 */
import * as path from 'node:path';
import type { RateCommand } from '../../shared/config/commands.js';
import { UserError } from '../../shared/errors.js';
import { ratingPassages, type Verdict } from '../engine/ratings.js';
import { loadModel } from '../storage/models.js';
import { openProject, type Project } from '../storage/project-folder.js';
import { readPassages, writePassages } from '../storage/ratings.js';
import { openTokenFile } from '../storage/token-files.js';
import { loadTokenizer } from '../storage/tokenizer-files.js';
import { naturalSource, openRatings, ratingSources, type BlindPassage, type Ratings } from './ratings.js';
import { environmentOf, type Job, type JobContext } from './types.js';

export const rateJob: Job<RateCommand> = async ({ project: folder, passages }, context) => {
  const project = openProject(folder);
  if (ratingSources(folder).length === 1) {
    throw new UserError({
      code: 'checkpoint',
      message: `${folder} has no finished model yet, so there is no writing to rate.`,
      hint: 'Train it first, with cycle.',
      field: 'project',
    });
  }
  await makePassages(project, passages, context);
  const ratings = openRatings(folder, () => context.now());
  const rated = await askAll(ratings, context);
  return { project: folder, rated, waiting: ratings.waiting().length, ...ratings.report() };
};

/** Passages of each source that has none, or fewer than were asked for. */
async function makePassages({ paths, config }: Project, count: number, context: JobContext): Promise<void> {
  const missing = ratingSources(paths.folder).filter(
    (source) => (readPassages(paths.ratings, source)?.length ?? 0) < count,
  );
  if (missing.length === 0) return;
  const tokens = openTokenFile(path.join(paths.data, 'val.bin'));
  try {
    const env = await environmentOf(context);
    for (const source of missing) {
      const name = source === naturalSource ? null : source;
      const newest = loadModel(paths.model(name ?? 'base_model_v1'));
      const { method, vocab_size: vocabSize } = newest.tokenization;
      const tokenizer = await loadTokenizer({ method, metaPath: path.join(paths.data, 'meta.pkl') });
      const written = await ratingPassages(name === null ? null : { model: newest.config, weights: newest.weights }, {
        ...{ tokens, method, vocabSize, count, env, seed: config.seed, generation: config },
        decode: (ids) => tokenizer.decode(ids),
        blockSize: config.block_size,
        source: name === null ? 0 : Number(name.slice('base_model_v'.length)),
      });
      writePassages(paths.ratings, source, written);
    }
  } finally {
    tokens.close();
  }
}

const answers: Readonly<Record<string, Verdict>> = {
  n: 'natural',
  natural: 'natural',
  g: 'generated',
  generated: 'generated',
};

/** Until everything is rated, or the person has had enough. @returns how many were rated */
async function askAll(ratings: Ratings, context: JobContext): Promise<number> {
  const waiting = ratings.waiting();
  let rated = 0;
  for (const [index, passage] of waiting.entries()) {
    const answer = await answerTo(`Passage ${index + 1} of ${waiting.length}`, passage, context);
    if (answer === 'quit') break;
    if (answer === 'skip') continue;
    ratings.rate(passage.id, answer);
    rated++;
  }
  return rated;
}

async function answerTo(
  heading: string,
  { prompt, text }: BlindPassage,
  context: JobContext,
): Promise<Verdict | 'skip' | 'quit'> {
  let question = `\n${heading}\n\n…${prompt}⟦${text}⟧…\n\nWhat stands in ⟦ ⟧: n natural, g generated, Enter to skip, q to end? `;
  for (;;) {
    const line = context.stop.requested ? null : await context.ask?.(question);
    const answer = line?.trim().toLowerCase();
    if (answer === undefined || answer === 'q' || answer === 'quit') return 'quit';
    if (answer === '') return 'skip';
    const verdict = answers[answer];
    if (verdict) return verdict;
    question = 'n, g, Enter or q? ';
  }
}
