/** Writes the passages that people judge: those of each source that has none, or fewer than were asked for. */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { artefactName, parseArtefact } from '../../../shared/phases/index.js';
import type { PairAgainst, RatingTask } from '../../../shared/rating.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { ratingPassages } from '../../engine/cycle/rating-passages.js';
import type { RatingPassage } from '../../engine/cycle/ratings.js';
import { boundaryPassages, pairPassages } from '../../engine/cycle/task-passages.js';
import type { Environment } from '../../engine/types.js';
import { loadTokenizer } from '../../storage/datasets/tokenizer-files.js';
import { openTokenFile, type TokenFile } from '../../storage/datasets/token-files.js';
import { loadModel } from '../../storage/projects/models.js';
import { modelNamesIn } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { readPassages, taskFolder, writePassages } from '../../storage/projects/ratings.js';
import { environmentOf, type JobContext } from '../types.js';
import { naturalSource, passagesWanted, sourcesOf } from './questions.js';

interface WantedPassages {
  readonly folder: string;
  readonly task: RatingTask;
  readonly against: PairAgainst | null;
  /** Of each generator. */
  readonly passages: number;
}

/**
 * What is there stays; what is missing is added behind it.
 * @throws UserError `checkpoint` while the project has no finished model
 */
export async function writeRatingPassages(
  wanted: WantedPassages,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<Readonly<Record<string, never>>> {
  const { folder, task, passages } = wanted;
  const project = openProject(folder);
  const { paths, config } = project;
  if (modelNamesIn(project).length === 0) {
    throw new UserError({
      code: 'checkpoint',
      message: `${folder} has no finished model yet, so there is no writing to rate.`,
      hint: 'Train it first, with cycle.',
      field: 'project',
    });
  }
  const place = taskFolder(paths.ratings, task);
  const missing = sourcesOf(folder, wanted).flatMap((source) => {
    const there = readPassages(place, source) ?? [];
    const count = passagesWanted(task, source, passages);
    return there.length < count ? [{ source, there, count }] : [];
  });
  if (missing.length === 0) return {};
  const tokens = openTokenFile(path.join(paths.data, 'val.bin'));
  try {
    const env = await environmentOf(context);
    const write = await createPassageWriter({ paths, config, tokens, env });
    for (const [done, { source, there, count }] of missing.entries()) {
      onProgress({ done, total: missing.length });
      const made = await write(task, source, there.length, count);
      writePassages(place, source, [...there, ...made]);
    }
    onProgress({ done: missing.length, total: missing.length });
  } finally {
    tokens.close();
  }
  return {};
}

interface Writing {
  readonly paths: ProjectPaths;
  readonly config: ProjectConfig;
  readonly tokens: TokenFile;
  readonly env: Environment;
}

/** Passages `from` to `count` of a source. */
async function createPassageWriter({ paths, config, tokens, env }: Writing) {
  // Every generator of a project has the first one's tokens.
  const { tokenization } = loadModel(paths.model(artefactName('base_model', 0)));
  const { method, vocab_size: vocabSize, tokenizerPath } = tokenization;
  const tokenizer = await loadTokenizer({ method, metaPath: path.join(paths.data, 'meta.pkl'), tokenizerPath });
  return async (task: RatingTask, name: string, from: number, count: number): Promise<RatingPassage[]> => {
    const loaded = name === naturalSource ? null : loadModel(paths.model(name));
    const generator = loaded && { model: loaded.config, weights: loaded.weights };
    const options = {
      tokens,
      method,
      vocabSize,
      from,
      count,
      env,
      seed: config.seed,
      generation: config,
      decode: (ids: Parameters<typeof tokenizer.decode>[0]) => tokenizer.decode(ids),
      blockSize: config.block_size,
      source: generator === null ? 0 : (parseArtefact(name)?.version ?? 0),
    };
    switch (task) {
      case 'single':
        // These depend on how many are written together: those that are there stay as they are.
        return (await ratingPassages(generator, options)).slice(from);
      case 'pair':
        return pairPassages(generator, options);
      case 'boundary':
        return boundaryPassages(generator, options);
    }
  };
}
