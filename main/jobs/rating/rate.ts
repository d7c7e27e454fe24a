/**
 * A person rates the writing of a project's generators, blind among passages of the text (specification 5.5).
 * Writes the passages that are not there yet, asks, and reports how often each was taken for natural.
 */
import * as path from 'node:path';
import type { BlindPassage, Verdict } from '../../../shared/contract/ratings.js';
import { UserError } from '../../../shared/errors.js';
import { artefactName, parseArtefact } from '../../../shared/phases/index.js';
import { ratingPassages } from '../../engine/cycle/rating-passages.js';
import { loadTokenizer } from '../../storage/datasets/tokenizer-files.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { loadModel } from '../../storage/projects/models.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readPassages, writePassages } from '../../storage/projects/ratings.js';
import { environmentOf, type Job, type JobContext } from '../types.js';
import { naturalSource, openRatings, ratingSources, type Ratings } from './ratings.js';
import { ratingOpinionOf } from './reward-judge.js';

export const rateJob: Job<{ readonly project: string; readonly passages: number }> = async (
  { project: folder, passages },
  context,
) => {
  await writeRatingPassages({ folder, passages }, context, () => undefined);
  const ratings = openRatings(folder, () => context.now());
  const rated = await askAll(ratings, context);
  const opinion = await ratingOpinionOf({ folder }, context);
  return { project: folder, rated, waiting: ratings.waiting().length, ...ratings.report(), opinion };
};

const answers: Readonly<Record<string, Verdict>> = {
  n: 'natural',
  natural: 'natural',
  g: 'generated',
  generated: 'generated',
};

/** Until everything is rated, or the person has had enough. @returns how many were rated */
async function askAll(ratings: Ratings, context: JobContext): Promise<number> {
  const waiting = ratings.waiting();
  const said = new Set<string>();
  let at = 0;
  for (let passage = waiting[at]; passage; passage = waiting[at]) {
    const answer = await answerTo(`Passage ${at + 1} of ${waiting.length}`, passage, context);
    if (answer === 'quit') break;
    if (answer === 'back') {
      at = Math.max(0, at - 1);
      const before = waiting[at];
      if (before && said.delete(before.id)) ratings.withdraw(before.id);
      continue;
    }
    if (answer !== 'skip') {
      ratings.rate(passage.id, answer);
      said.add(passage.id);
    }
    at++;
  }
  return said.size;
}

async function answerTo(
  heading: string,
  { prompt, text }: BlindPassage,
  context: JobContext,
): Promise<Verdict | 'skip' | 'back' | 'quit'> {
  let question = `\n${heading}\n\n…${prompt}⟦${text}⟧…\n\nWhat stands in ⟦ ⟧: n natural, g generated, Enter to skip, b to go back, q to end? `;
  for (;;) {
    const line = context.stop.requested ? null : await context.ask?.(question);
    const answer = line?.trim().toLowerCase();
    if (answer === undefined || answer === 'q' || answer === 'quit') return 'quit';
    if (answer === '') return 'skip';
    if (answer === 'b' || answer === 'back') return 'back';
    const verdict = answers[answer];
    if (verdict) return verdict;
    question = 'n, g, b, Enter or q? ';
  }
}

/**
 * Writes the passages that are rated blind: those of each source that has none, or fewer than were asked for.
 * @throws UserError `checkpoint` while the project has no finished model
 */
export async function writeRatingPassages(
  { folder, passages: count }: { readonly folder: string; readonly passages: number },
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<Readonly<Record<string, never>>> {
  const { paths, config } = openProject(folder);
  const sources = ratingSources(folder);
  if (sources.length === 1) {
    throw new UserError({
      code: 'checkpoint',
      message: `${folder} has no finished model yet, so there is no writing to rate.`,
      hint: 'Train it first, with cycle.',
      field: 'project',
    });
  }
  const missing = sources.filter((source) => (readPassages(paths.ratings, source)?.length ?? 0) < count);
  if (missing.length === 0) return {};
  const tokens = openTokenFile(path.join(paths.data, 'val.bin'));
  try {
    const env = await environmentOf(context);
    // Every generator of a project has the first one's tokens.
    const { tokenization } = loadModel(paths.model(artefactName('base_model', 0)));
    const { method, vocab_size: vocabSize, tokenizerPath } = tokenization;
    const tokenizer = await loadTokenizer({ method, metaPath: path.join(paths.data, 'meta.pkl'), tokenizerPath });
    for (const [done, source] of missing.entries()) {
      onProgress({ done, total: missing.length });
      const generator = source === naturalSource ? null : loadModel(paths.model(source));
      const written = await ratingPassages(generator && { model: generator.config, weights: generator.weights }, {
        tokens,
        method,
        vocabSize,
        count,
        env,
        seed: config.seed,
        generation: config,
        decode: (ids) => tokenizer.decode(ids),
        blockSize: config.block_size,
        source: generator === null ? 0 : (parseArtefact(source)?.version ?? 0),
      });
      writePassages(paths.ratings, source, written);
    }
    onProgress({ done: missing.length, total: missing.length });
  } finally {
    tokens.close();
  }
  return {};
}
