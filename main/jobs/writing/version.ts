/** The versions that a user writes with: a project's models, and the one before training. */
import { isAdapter } from '../../../shared/architectures/adapters.js';
import { artefactName, untrainedVersion } from '../../../shared/phases/index.js';
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
  const { lora, ...config } = opened.config;
  if (!lora) return openModel(projectPaths(version.folder).model(untrainedVersion), 'generator', { context });
  const weights = Object.fromEntries(Object.entries(opened.weights).filter(([name]) => !isAdapter(name)));
  return { ...opened, config, weights };
}
