/** Works on whole project folders: list, export, import and delete them. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { archiveName } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized } from '../../../shared/messages/message.js';
import type { Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { removeFolderAtomic } from '../../storage/disk/atomic.js';
import { nodeFileOperations } from '../../storage/disk/file-operations.js';
import { acquireLock, lockHolder } from '../../storage/disk/lock.js';
import { isName } from '../../storage/disk/names.js';
import { moveToTrash } from '../../storage/disk/trash.js';
import { mustLieOutside } from '../../storage/projects/export-place.js';
import { archivedName, exportProject, importProject } from '../../storage/projects/project-archive.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { interruptibly, type Job } from '../types.js';

/** Lists the projects in a folder with their progress; the folder itself may be one too. */
export const listJob: Job<{ readonly folder: string }> = async ({ folder }) => {
  const names = onFile(folder, 'read', () => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort();
  const paths = [folder, ...names.map((name) => join(folder, name))];
  return { folder, projects: paths.flatMap((path) => rowOf(path) ?? []) };
};

function rowOf(path: string): Json | null {
  const facts = projectFacts(path);
  if (facts.kind === 'missing') return null;
  if ('fault' in facts) return plainJson({ project: path, state: facts.kind, ...facts.fault });
  const { project, reports, hasStarted, ended, awaits, changed, exact } = facts;
  const least = (values: readonly (number | null | undefined)[]) => {
    const measured = values.filter((value) => typeof value === 'number');
    return measured.length === 0 ? null : Math.min(...measured);
  };
  const atRest = ended ? 'finished' : awaits ? 'awaiting_votes' : hasStarted ? 'stopped' : 'new';
  return {
    project: path,
    name: project.name,
    state: lockHolder(path) ? 'running' : atRest,
    exact,
    changed,
    cycle: reports.length - 1,
    max_cycles: project.config.max_cycles,
    best_perplexity: least(reports.map(({ perplexity }) => perplexity)),
    best_nats_per_character: least(reports.map(({ nats_per_character }) => nats_per_character)),
    best_bits_per_byte: least(reports.map(({ bits_per_byte }) => bits_per_byte)),
  };
}

/** @param file null for the folder's own name next to it, with `.verisim` */
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

/** @param project null for the project's name, or the file's, next to it */
export const importProjectJob: Job<{ readonly file: string; readonly project: string | null }> = async (
  { file, project },
  context,
) => {
  const [name, own] = [archivedName(file), basename(file).replace(/(\.verisim)?\.tar$/, '')];
  const folder = isName(name) ? name : isName(own) ? own : 'imported-project';
  const target = project ?? join(dirname(resolve(file)), folder);
  await importProject(file, target, { onProgress: interruptibly(context) });
  return { file, project: target };
};

/**
 * Moves a project to the system's trash, or deletes it for good with `force`.
 * @throws UserError `locked` while it is in use; `unsupported` if there is no trash
 */
export const removeJob: Job<{ readonly project: string; readonly force: boolean }> = async ({ project, force }) => {
  openProject(project); // nothing but a project is deleted
  // eslint-disable-next-line house/no-sentences -- a command
  const lock = acquireLock(project, 'verisim rm');
  try {
    if (force) {
      removeFolderAtomic(project);
      return { project, trash: null };
    }
    const trash = moveToTrash(project);
    if (trash !== null) {
      nodeFileOperations.remove(join(trash, 'lock')); // a restored project is not in use
      return { project, trash };
    }
  } finally {
    lock.release(); // does nothing if the project is gone
  }
  throw new UserError({
    code: 'unsupported',
    message: localized('trash.none', { project }),
    hint: localized('trash.delete_for_good'),
    field: 'force',
  });
};
