/**
 * Where the model that training begins from comes from: whether it could write before Verisim trained it, or is a small one that
 * began from nothing in another project, and how much of this text it has read there. Advice about cycles
 * (shared/cycle-advice.ts) was measured of both apart, and counts the passes that were made with those to come. Told from files
 * alone.
 */
import { basename, dirname } from 'node:path';
import type { ProjectConfig } from '../../shared/config/index.js';
import { initialModelPath } from '../../shared/config/init.js';
import { cycleAdvice, type ModelOrigin } from '../../shared/cycle-advice.js';
import { UserError } from '../../shared/errors.js';
import { artefactName, parseArtefact } from '../../shared/phases/index.js';
import { stampAt } from '../storage/disk/file-stamp.js';
import { findForeignModel } from '../storage/projects/foreign-models.js';
import { readModelFacts } from '../storage/projects/models.js';
import { openProject } from '../storage/projects/project-folder.js';
import { isProject, projectPaths } from '../storage/projects/project-paths.js';
import { modelFolder } from './models.js';

/** Which model, and of which text. */
type Settings = Pick<ProjectConfig, 'init_from' | 'data_path' | 'train_bin'>;

/** Forks of forks: nobody has more, unless two of them name each other. */
const MOST_ANCESTORS = 64;

/** What is not there any more is taken for a model that could write. */
function follow(settings: Settings): ModelOrigin & { readonly files: readonly string[] } {
  const files: string[] = [];
  let tokensRead = 0;
  let path = initialModelPath(settings);
  for (let ancestor = 0; path !== null && ancestor < MOST_ANCESTORS; ancestor++) {
    const before = beginningOf(path, settings, files);
    if (before === null) return { couldWrite: true, tokensRead, files };
    tokensRead += before.tokensRead;
    path = initialModelPath(before);
  }
  return { couldWrite: path !== null, tokensRead, files };
}

export type OriginOf = (settings: Settings) => ModelOrigin;
export const originOf: OriginOf = follow;

/** The same, read again only where what was read has changed: a draft is checked at every key. */
export function keptOrigins(): OriginOf {
  const known = new Map<string, { readonly origin: ReturnType<typeof follow>; readonly stamp: string }>();
  return (settings) => {
    const key = JSON.stringify([initialModelPath(settings), settings.data_path, settings.train_bin]);
    const there = known.get(key);
    if (there?.stamp === stampsAt(there?.origin.files ?? [])) return there.origin;
    const origin = follow(settings);
    known.set(key, { origin, stamp: stampsAt(origin.files) });
    return origin;
  };
}

const stampsAt = (files: readonly string[]): string => files.map(stampAt).join(' ');

/** What is advised about cycles before the start, of a project's settings and its text. */
export const adviceFor = (
  config: Parameters<typeof cycleAdvice>[0] & Settings,
  trainTokens: number,
  origin: OriginOf = originOf,
): ReturnType<typeof cycleAdvice> => cycleAdvice(config, trainTokens, origin(config));

/**
 * What a model of Verisim's own was trained from, as its settings had it; null for another program's.
 * @param files those that say so are added
 */
function beginningOf(
  path: string,
  text: Settings,
  files: string[],
): (Pick<Settings, 'init_from'> & Pick<ModelOrigin, 'tokensRead'>) | null {
  try {
    const folder = modelFolder(path, 'generator');
    files.push(path, folder);
    if (findForeignModel(folder) !== null) return null;
    const { provenance } = readModelFacts(folder);
    const checkpoints = dirname(folder);
    const project = dirname(checkpoints);
    // A command's model says itself what it began from, a project's is where the project is (checkpoints/base_model_v1).
    const config = isProject(project) ? openProject(project).config : null;
    files.push(checkpoints, projectPaths(project).config);
    const init_from = typeof provenance['init_from'] === 'string' ? provenance['init_from'] : config?.init_from;
    return { init_from, tokensRead: config === null ? 0 : readIn(project, basename(folder), config, text) };
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Tokens of this text that base training of a project has read, until its model, or the checkpoint of it that is meant. */
function readIn(project: string, model: string, config: ProjectConfig, text: Settings): number {
  if (config.data_path !== text.data_path || config.train_bin !== text.train_bin) return 0;
  const isCheckpointOfBase = parseArtefact(model)?.cycle === 0;
  const trained = isCheckpointOfBase ? model : artefactName('base_model', 0);
  const { iterations } = readModelFacts(projectPaths(project).model(trained)).provenance;
  const { batch_size, gradient_accumulation_steps, block_size } = config;
  return (typeof iterations === 'number' ? iterations : 0) * batch_size * gradient_accumulation_steps * block_size;
}
