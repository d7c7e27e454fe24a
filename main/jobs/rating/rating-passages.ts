/** Writes the passages that are rated blind: those of each source that has none, or fewer than were asked for. */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { artefactName, parseArtefact } from '../../../shared/phases/index.js';
import { ratingPassages } from '../../engine/cycle/rating-passages.js';
import { loadModel } from '../../storage/projects/models.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readPassages, writePassages } from '../../storage/projects/ratings.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { loadTokenizer } from '../../storage/datasets/tokenizer-files.js';
import { naturalSource, ratingSources } from './ratings.js';
import { environmentOf, type JobContext } from '../types.js';

/** @throws UserError `checkpoint` while the project has no finished model */
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
    const { method, vocab_size: vocabSize } = loadModel(paths.model(artefactName('base_model', 0))).tokenization;
    const tokenizer = await loadTokenizer({ method, metaPath: path.join(paths.data, 'meta.pkl') });
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
