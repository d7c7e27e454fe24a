/** Writes the passages that people rate, for each source that has too few. */
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { artefactName, parseArtefact } from '../../../shared/phases/index.js';
import type { ProjectConfig, ReadingConfig } from '../../../shared/config/index.js';
import type { RatingTask } from '../../../shared/rating.js';
import { boundaryPassages, pairPassages, type RatingPassage } from '../../engine/cycle/rating-passages.js';
import type { Environment } from '../../engine/types.js';
import { loadTokenizer } from '../../storage/datasets/tokenizer-files.js';
import { openTokenFile, type TokenFile } from '../../storage/datasets/token-files.js';
import { loadModel } from '../../storage/projects/models.js';
import { modelNamesIn } from '../../storage/projects/project-facts.js';
import { openProject, type Project } from '../../storage/projects/project-folder.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { readVotes } from '../../storage/projects/rating-votes.js';
import {
  passageRule,
  readPassages,
  removePassages,
  taskFolder,
  writePassages,
} from '../../storage/projects/ratings.js';
import { environmentOf, type JobContext } from '../types.js';
import { naturalSource, passagesWanted, sourcesOf, type Queue } from './questions.js';

interface WantedPassages extends Queue {
  readonly folder: string;
  /** Of each generator. */
  readonly passages: number;
}

/**
 * Appends missing passages; existing ones stay.
 * @throws UserError `checkpoint` while the project has no finished model
 */
export async function writeRatingPassages(
  { folder, passages, ...queue }: WantedPassages,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<Readonly<Record<string, never>>> {
  const project = openProject(folder);
  const { paths, config } = project;
  if (modelNamesIn(project).length === 0) {
    throw new UserError({
      code: 'checkpoint',
      message: localized('rating.faults.no_model', { folder }),
      hint: localized('rating.faults.train_first'),
      field: 'project',
    });
  }
  const place = taskFolder(paths.ratings, queue.task);
  const drawn = ruleFor(place, queue.task, project);
  // A few of each source first, which people rate while the others are written.
  const missing = [Math.min(FIRST, passages), passages].flatMap((most) =>
    sourcesOf(folder, queue).flatMap((source) => {
      const count = passagesWanted(queue, source, most);
      return readPassages(place, source).length < count ? [{ source, count }] : [];
    }),
  );
  if (missing.length === 0) return {};
  const tokens = openTokenFile(path.join(paths.data, 'val.bin'));
  try {
    const write = await createPassageWriter({ paths, config, drawn, tokens, env: await environmentOf(context) });
    for (const [done, { source, count }] of missing.entries()) {
      onProgress({ done, total: missing.length });
      const existing = readPassages(place, source);
      if (existing.length >= count) continue;
      writePassages(place, source, [...existing, ...(await write(queue, source, existing.length, count))], drawn);
    }
    onProgress({ done: missing.length, total: missing.length });
  } finally {
    tokens.close();
  }
  return {};
}

/**
 * Chooses how passages are drawn: as the project's texts for reading. Those of an earlier rule are removed, unless people have
 * judged some: then all are drawn by that rule, since one test must not compare two.
 */
function ruleFor(place: string, task: RatingTask, { paths, config }: Pick<Project, 'paths' | 'config'>): ReadingConfig {
  const { temperature, top_k, top_p } = config;
  const own = { temperature, top_k, top_p };
  const stored = passageRule(place);
  if (stored === null) return own;
  const found = stored ?? { ...own, top_p: 1 };
  if (isDeepStrictEqual(found, own)) return own;
  const { votes } = readVotes(paths.ratings);
  if (votes.some((vote) => vote.task === task) || existsSync(path.join(paths.ratings, 'tasks'))) return found;
  removePassages(place);
  return own;
}

/** A batch of the writer: about a minute of reading. */
const FIRST = 8;

interface Writing {
  readonly paths: ProjectPaths;
  readonly config: ProjectConfig;
  readonly drawn: ReadingConfig;
  readonly tokens: TokenFile;
  readonly env: Environment;
}

/** Returns a function that writes passages `from` to `count` of a source. */
async function createPassageWriter({ paths, config, drawn, tokens, env }: Writing) {
  // All generators of a project share the first one's tokenizer.
  const { tokenization } = loadModel(paths.model(artefactName('base_model', 0)));
  const { method, tokenizerPath } = tokenization;
  const tokenizer = await loadTokenizer({ method, metaPath: path.join(paths.data, 'meta.pkl'), tokenizerPath });
  return async ({ task }: Queue, name: string, from: number, count: number): Promise<RatingPassage[]> => {
    const loaded = name === naturalSource ? null : loadModel(paths.model(name));
    const generator = loaded && { model: loaded.config, weights: loaded.weights };
    return (task === 'pair' ? pairPassages : boundaryPassages)(generator, {
      tokens,
      method,
      from,
      count,
      env,
      seed: config.seed,
      generation: drawn,
      vocabulary: tokenizer,
      blockSize: config.block_size,
      source: generator === null ? 0 : (parseArtefact(name)?.version ?? 0),
    });
  };
}
