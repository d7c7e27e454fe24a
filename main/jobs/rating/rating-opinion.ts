/** What the project's newest reward model makes of the passages that a person rates blind. */
import type { RatingOpinion } from '../../../shared/contract/ratings.js';
import { naturalAtEnd } from '../../engine/cycle/playground.js';
import { ratingOpinion } from '../../engine/cycle/ratings.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { readRatings } from '../../storage/projects/ratings.js';
import { ratingSources, writtenPassages } from './ratings.js';
import { newestRewardModel, withRewardScorer } from './reward-judge.js';
import type { JobContext } from '../types.js';

export async function ratingOpinionOf(
  { folder }: { readonly folder: string },
  context: JobContext,
): Promise<RatingOpinion> {
  const passages = writtenPassages(folder);
  const model = passages.length === 0 ? null : newestRewardModel(folder);
  if (model === null) {
    return { model: null, sources: [], taken: { natural: null, generated: null } };
  }
  const values = await withRewardScorer(folder, model, context, ({ scorer, tokenizer, blockSize }) =>
    naturalAtEnd(
      scorer,
      blockSize,
      passages.map(({ prompt, text }) => tokenizer.encode(prompt + text)),
    ),
  );
  const judged = passages.map(({ id, source }, at) => ({ id, source, natural: values[at] ?? NaN }));
  const ratings = readRatings(projectPaths(folder).ratings);
  return ratingOpinion(model, ratingSources(folder), judged, ratings);
}
