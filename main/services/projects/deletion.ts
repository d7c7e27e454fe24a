/** Deletes a project with undo: it is moved aside, and goes to the trash or for good when the app ends or starts. */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { removeFolderAtomic } from '../../storage/disk/atomic.js';
import { onFile } from '../../../shared/file-errors.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import { acquireLock } from '../../storage/disk/lock.js';
import type { DataFolder } from '../files/data-folder.js';
import type { Registry } from './registry.js';
import { readStored, writeStored } from '../files/stored.js';

const deletedSchema = z.object({
  projects: z.array(
    z.object({
      undo: z.string(),
      id: z.string(),
      folder: z.string(),
      aside: z.string().nullable(),
      /** Left out by earlier versions. */
      name: z.string().optional(),
      deleted: z.string().optional(),
    }),
  ),
});
type Deleted = z.infer<typeof deletedSchema>['projects'][number];

/** @param trash moves a folder to the system's trash; null where there is none */
export function createDeletion(
  data: DataFolder,
  registry: Registry,
  trash: ((path: string) => Promise<void>) | null,
  now: () => number,
) {
  const read = (): Deleted[] => readStored(data.deleted, deletedSchema, { projects: [] }).projects;
  const write = (projects: readonly Deleted[]) => writeStored(data.deleted, { projects });

  return {
    /** @param name what people call it. @returns what `restore` takes. @throws UserError `locked` while something uses the project */
    remove(id: string, name: string) {
      const folder = registry.folderOf(id);
      const undo = `undo_${randomUUID()}`;
      // What is gone already only leaves the list.
      const aside = existsSync(folder) ? join(dirname(folder), `.verisim-${undo}`, basename(folder)) : null;
      // Noted first: what is aside is found again, whatever happens then.
      write([...read(), { undo, id, folder, aside, name, deleted: new Date(now()).toISOString() }]);
      try {
        if (aside !== null) putAside(folder, aside);
      } catch (error) {
        write(read().filter((one) => one.undo !== undo));
        throw error;
      }
      registry.forget(id);
      return undo;
    },
    /** @returns the id, which is the one it had. @throws UserError `file_not_found`, `exists` */
    restore(undo: string) {
      const deleted = read().find((one) => one.undo === undo);
      if (deleted === undefined) {
        throw new UserError({
          code: 'file_not_found',
          message: localized('projects.project_cannot_brought_back_any'),
          hint: localized('projects.look_systems_trash'),
        });
      }
      const { id, folder, aside } = deleted;
      if (aside !== null) {
        if (existsSync(folder)) {
          throw new UserError({
            code: 'exists',
            message: localized('projects.something_else_project', { folder }),
            hint: localized('projects.move_rename_try_again'),
          });
        }
        onFile(folder, 'write', () => ops.rename(aside, folder));
        rmdirSync(dirname(aside));
      }
      registry.remember({ id, folder });
      write(read().filter((one) => one.undo !== undo));
      return id;
    },
    list: () => ({
      projects: read()
        .filter(({ aside }) => aside === null || existsSync(aside))
        .map(({ undo, folder, name = basename(folder), deleted = null }) => ({ undo, name, folder, deleted }))
        .reverse(),
      then: trash === null ? ('gone' as const) : ('trash' as const),
    }),
    async empty() {
      for (const deleted of read()) {
        const { aside } = deleted;
        if (aside !== null && existsSync(aside)) {
          try {
            if (trash === null) removeFolderAtomic(aside);
            else await trash(aside);
          } catch {
            continue; // not possible just now: at the next start
          }
        }
        if (aside !== null) rmSync(dirname(aside), { recursive: true, force: true });
        write(read().filter(({ undo }) => undo !== deleted.undo));
      }
    },
  };
}

/** Its own name stays, so that the trash shows it; the folder around it is hidden. */
function putAside(folder: string, aside: string): void {
  const around = dirname(aside);
  // No other process may write in it.
  const lock = acquireLock(folder, 'verisim: deleting the project');
  try {
    onFile(folder, 'write', () => {
      mkdirSync(around);
      ops.rename(folder, aside);
    });
  } catch (error) {
    rmSync(around, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
    rmSync(join(aside, 'lock'), { recursive: true, force: true });
  }
}
