/** A project in one file, and back. */
import { basename, dirname, join, resolve } from 'node:path';
import { archiveName } from '../../../shared/config/file-kinds.js';
import { mustLieOutside } from '../../storage/projects/export-place.js';
import { archivedName, exportProject, importProject } from '../../storage/projects/project-archive.js';
import { isName } from '../../storage/disk/names.js';
import { interruptibly, type Job } from '../types.js';

/** @param file where to; null for the folder's own name beside it, with `.verisim` */
export const exportProjectJob: Job<{ readonly project: string; readonly file: string | null }> = async (
  { project, file },
  context,
) => {
  const folder = resolve(project);
  const target = file ?? join(dirname(folder), archiveName(basename(folder)));
  mustLieOutside(target, ['model']);
  const bytes = await exportProject(folder, target, { onProgress: interruptibly(context) });
  return { project, file: target, bytes };
};

export const importProjectJob: Job<{ readonly file: string; readonly project: string | null }> = async (
  { file, project },
  context,
) => {
  const target = project ?? join(dirname(resolve(file)), folderName(file));
  await importProject(file, target, { onProgress: interruptibly(context) });
  return { file, project: target };
};

/** The name the project had, where it is one for a folder; else the file's own. */
function folderName(file: string): string {
  const [name, own] = [archivedName(file), basename(file).replace(/(\.verisim)?\.tar$/, '')];
  return isName(name) ? name : isName(own) ? own : 'imported-project';
}
