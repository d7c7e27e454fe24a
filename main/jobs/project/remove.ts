/** Deletes a project: to the system's trash where there is one, and for good only when that was asked for. */
import { localized } from '../../../shared/messages/message.js';
import { join } from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { removeFolderAtomic } from '../../storage/disk/atomic.js';
import { nodeFileOperations } from '../../storage/disk/file-operations.js';
import { acquireLock } from '../../storage/disk/lock.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { moveToTrash } from '../../storage/disk/trash.js';
import type { Job } from '../types.js';

/** @throws UserError `locked` while it is being worked on; `unsupported` where there is no trash */
export const removeJob: Job<{ readonly project: string; readonly force: boolean }> = async ({ project, force }) => {
  openProject(project); // nothing but a project is deleted
  const lock = acquireLock(project, 'verisim rm');
  try {
    if (force) {
      removeFolderAtomic(project);
      return { project, trash: null };
    }
    const trash = moveToTrash(project);
    if (trash !== null) {
      nodeFileOperations.remove(join(trash, 'lock')); // put back, the project is nobody's
      return { project, trash };
    }
  } finally {
    lock.release(); // nothing to do where the project is gone
  }
  throw new UserError({
    code: 'unsupported',
    message: localized('trash.none', { project }),
    hint: localized('trash.delete_for_good'),
    field: 'force',
  });
};
