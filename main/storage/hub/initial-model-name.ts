/** What a person calls the model that a project begins from. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { initialModelPath } from '../../../shared/config/init.js';

/** Its name on the hub, or its file's or folder's; null: from nothing. */
export function initialModelName(settings: { readonly init_from?: unknown }): string | null {
  const path = initialModelPath(settings);
  if (path === null) return null;
  const name = basename(path);
  // A folder of a project says less than the project does.
  const inner = ['model', 'checkpoints'].includes(basename(dirname(path)))
    ? `${basename(dirname(dirname(path)))}, `
    : '';
  return parseHubName(path) && !existsSync(path) ? path : `${inner}${name}`;
}
