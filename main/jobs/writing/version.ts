/** The versions that a user writes with: a project's models, and the one before training. */
import { artefactName, untrainedVersion } from '../../../shared/phases/index.js';
import { adaptersOff } from '../../engine/model/adapters.js';
import { checkName } from '../../storage/disk/names.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { type LoadedModel, openModel } from '../models.js';
import type { JobContext } from '../types.js';

export type Version = Readonly<Record<'folder' | 'model', string>>;

/** The folder with a version's weights. Those before training are the first model's without its adapters. */
export function versionFolder({ folder, model }: Version): string {
  checkName(model);
  return projectPaths(folder).model(model === untrainedVersion ? artefactName('base_model', 0) : model);
}

/** @throws UserError `file_not_found` also for the version before training where all weights were trained */
export function openVersion(version: Version, context: JobContext): LoadedModel {
  const opened = openModel(versionFolder(version), 'generator', { context });
  if (version.model !== untrainedVersion) return opened;
  if (!opened.config.lora)
    return openModel(projectPaths(version.folder).model(untrainedVersion), 'generator', { context });
  const { model: config, weights } = adaptersOff({ model: opened.config, weights: opened.weights });
  return { ...opened, config, weights };
}
