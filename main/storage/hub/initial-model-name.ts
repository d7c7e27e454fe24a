/** What a person calls the model that a project begins from. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { catalogue } from '../../../shared/models/catalogue.js';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { sampleModel } from '../../installation/pinned.mjs';

/** Of the one that the set-up brought. */
export const setupModelTitle = `${sampleModel.title} Instruct, 4 bits`;

/** Its title in the list of models, else its name on the hub, or its file's or folder's; null: from nothing. */
export function initialModelName(settings: { readonly init_from?: unknown }): string | null {
  const path = initialModelPath(settings);
  if (path === null) return null;
  const name = basename(path);
  // Wherever the set-up's folder lies today.
  if (name === sampleModel.file.name) return setupModelTitle;
  if (parseHubName(path) && !existsSync(path)) return catalogue.find((known) => known.name === path)?.title ?? path;
  // A folder of a project says less than the project does.
  const inner = ['model', 'checkpoints'].includes(basename(dirname(path)))
    ? `${basename(dirname(dirname(path)))}, `
    : '';
  return `${inner}${name}`;
}
