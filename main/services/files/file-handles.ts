/** Gives the window handles in place of paths, for chosen files only; access for reading does not permit writing. */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { statSync } from 'node:fs';
import type { FileInfo } from '../../../shared/contract/values.js';
import { isPattern } from '../../../shared/config/input-names.js';
import { UserError } from '../../../shared/errors.js';
import { filesMatching } from '../../storage/texts/list/glob.js';

export type Access = 'read' | 'write';

/** The handle used longest ago is forgotten first. */
const MAX_HANDLES = 50_000;

export type FileHandles = ReturnType<typeof createFileHandles>;

export function createFileHandles(limit = MAX_HANDLES) {
  /** In order of last use. */
  const known = new Map<string, { readonly path: string; readonly access: Access }>();
  const handles = new Map<string, string>();
  const keyOf = (path: string, access: Access) => `${access} ${path}`;
  const forget = (handle: string) => {
    const entry = known.get(handle);
    if (entry) handles.delete(keyOf(entry.path, entry.access));
    known.delete(handle);
  };

  return {
    /** The same path has the same handle while it lives. What is not there yet counts as a file without a size. */
    give(given: string, access: Access = 'read') {
      const path = resolve(given);
      const handle = handles.get(keyOf(path, access)) ?? `file_${randomUUID()}`;
      known.delete(handle);
      known.set(handle, { path, access });
      handles.set(keyOf(path, access), handle);
      if (known.size > limit) forget([...known.keys()][0] ?? '');
      return { handle, ...factsOf(path) };
    },
    /** @param access wanted; `any` if only the place matters. @throws UserError `file_not_found` for a handle not given for it */
    pathOf(handle: string, access: Access | 'any' = 'read') {
      const entry = known.get(handle);
      if (!entry || (access !== 'any' && entry.access !== access)) {
        throw new UserError({
          code: 'file_not_found',
          message: localized('files.file_known_any_more'),
          hint: localized('files.choose_again'),
        });
      }
      known.delete(handle);
      known.set(handle, entry);
      return entry.path;
    },
  };
}

function factsOf(path: string): Omit<FileInfo, 'handle'> {
  const name = basename(path) || path;
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? { name, kind: 'folder', size: null } : { name, kind: 'file', size: stats.size };
  } catch {
    return isPattern(path) ? factsOfSeveral(path) : { name, kind: 'file', size: null };
  }
}

/** Files that were chosen together: their names, as many as are read at a glance. */
function factsOfSeveral(pattern: string): Omit<FileInfo, 'handle'> {
  const files = filesMatching(pattern);
  const shown = files.slice(0, 3).map((file) => basename(file));
  const name = files.length > shown.length ? `${shown.join(', ')}, … (${files.length})` : shown.join(', ');
  return { name, kind: 'file', size: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}
