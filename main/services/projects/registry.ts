/** Registers project folders under ids: those opened or made here, and all in the folder for new projects. */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import type { DataFolder } from '../files/data-folder.js';
import { readStored, writeStored } from '../files/stored.js';

const knownSchema = z.object({
  projects: z.array(z.object({ id: z.string(), folder: z.string() })),
});

export interface KnownProject {
  readonly id: string;
  readonly folder: string;
}

export type Registry = ReturnType<typeof createRegistry>;

export function createRegistry(data: DataFolder, projectsFolder: () => string) {
  /** Read each time: another window, or the server, may have added to it. */
  const read = (): readonly KnownProject[] => readStored(data.projects, knownSchema, { projects: [] }).projects;
  const write = (projects: readonly KnownProject[]) => writeStored(data.projects, { projects });

  const current = (): readonly KnownProject[] => {
    const known = read();
    const folders = new Set(known.map(({ folder }) => folder));
    const added = projectsIn(projectsFolder())
      .filter((folder) => !folders.has(folder))
      .map((folder) => ({ id: newId(), folder }));
    if (added.length === 0) return known;
    const all = [...known, ...added];
    write(all);
    return all;
  };

  return {
    list: current,
    idOf(given: string) {
      const folder = resolve(given);
      const known = read();
      const there = known.find((project) => project.folder === folder);
      if (there) return there.id;
      const id = newId();
      write([...known, { id, folder }]);
      return id;
    },
    /** @throws UserError `file_not_found` */
    folderOf(id: string) {
      const found = read().find((project) => project.id === id);
      if (found) return found.folder;
      throw new UserError({
        code: 'file_not_found',
        message: localized('projects.project_list_any_more'),
        hint: localized('projects.open_folder_add_again'),
        field: 'id',
      });
    },
    forget: (id: string) => write(read().filter((project) => project.id !== id)),
    remember: (project: KnownProject) => write([...read().filter(({ id }) => id !== project.id), project]),
  };
}

const newId = () => `project_${randomUUID()}`;

function projectsIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // not made yet, or not readable: then nothing in it is known
  }
  return names
    .filter((name) => !name.startsWith('.'))
    .map((name) => resolve(join(folder, name)))
    .filter((path) => existsSync(join(path, 'project.json')));
}
