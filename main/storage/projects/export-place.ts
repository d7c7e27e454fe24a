/** Refuses exports among the files of models, runs and projects. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized } from '../../../shared/messages/message.js';
import { stateFile } from '../../formats/checkpoint.js';
import { manifestName } from '../disk/manifest.js';

const owners = ['model', 'run', 'project'] as const;
type Owner = (typeof owners)[number];

/** Other programs have a run.json or a project.json too. */
const isOurs = (file: string) => existsSync(file) && readFileSync(file, 'utf8').includes('"format_version"');

const belongsTo: Readonly<Record<Owner, (folder: string) => boolean>> = {
  model: (folder) => existsSync(path.join(folder, stateFile)) && existsSync(path.join(folder, manifestName)),
  run: (folder) => isOurs(path.join(folder, 'run.json')),
  project: (folder) => isOurs(path.join(folder, 'project.json')),
};

/** @param within whose folders it may not lie in. @throws UserError `exists` naming that folder */
export function mustLieOutside(target: string, within: readonly Owner[] = owners): void {
  onFile(target, 'write', () => {
    const place = realPath(target);
    for (let folder = place; ; folder = path.dirname(folder)) {
      const owner = within.find((each) => belongsTo[each](folder));
      if (owner !== undefined) {
        const isFolder = folder === place;
        throw new UserError({
          code: 'exists',
          message: localized('projects.export_inside', { target, isFolder, owner, folder }),
          hint: localized('projects.choose_place_outside_there_stays'),
        });
      }
      if (path.dirname(folder) === folder) return;
    }
  });
}

export function realPath(written: string): string {
  const target = path.resolve(written);
  if (existsSync(target)) return realpathSync(target);
  const parent = path.dirname(target);
  return parent === target ? target : path.join(realPath(parent), path.basename(target));
}
