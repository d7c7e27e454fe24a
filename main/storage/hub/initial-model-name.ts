/** Names the model that a project begins from, for users. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { catalogue } from '../../../shared/models/catalogue.js';
import { sampleModel } from '../../installation/pinned.mjs';

export const setupModelTitle = `${sampleModel.title} Instruct`;

/** Returns its title in the list of models, else its name on the hub, or its file's or folder's; null if it begins from nothing. */
export function initialModelName(settings: { readonly init_from?: unknown }): string | null {
  const path = initialModelPath(settings);
  if (path === null) return null;
  const name = basename(path);
  if (name === sampleModel.file.name) return setupModelTitle;
  if (parseHubName(path) && !existsSync(path)) return catalogue.find((known) => known.name === path)?.title ?? path;
  const folder = dirname(path);
  const isInProject = ['model', 'checkpoints'].includes(basename(folder));
  return isInProject ? `${basename(dirname(folder))}, ${name}` : name;
}
