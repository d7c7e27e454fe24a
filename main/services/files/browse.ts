/** The machine's folders, for choosing a file in a browser: what the system's dialog is in a window. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import type { FileInfo } from '../../../shared/contract/values.js';
import { isNamedAs, type FilePurpose } from '../../../shared/config/file-kinds.js';
import { onFile } from '../../../shared/file-errors.js';
import { homeFolder } from '../../installation/environment.mjs';
import type { FileHandles } from './file-handles.js';

interface Browsed {
  readonly here: string;
  readonly parent: string | null;
  readonly entries: FileInfo[];
}

/** A folder with more entries shows the first of them. */
const MAX_ENTRIES = 1000;

/** @throws UserError `file_not_found`, `file_not_readable` */
export function browse(
  handles: FileHandles,
  folder: string | null,
  purpose: FilePurpose,
  places: readonly string[],
): Browsed {
  if (folder === null) {
    const roots = [...places, homeFolder(), parse(homeFolder()).root];
    const there = [...new Set(roots)].filter((place) => kindOf(place) === 'folder');
    return { here: '', parent: null, entries: there.map((place) => ({ ...handles.give(place), name: place })) };
  }
  const names = onFile(folder, 'read', () => readdirSync(folder)).filter((name) => !name.startsWith('.'));
  const found = names
    .map((name) => ({ name, path: join(folder, name), kind: kindOf(join(folder, name)) }))
    .filter(({ name, kind }) => kind === 'folder' || (kind === 'file' && isNamedAs(purpose, name)));
  found.sort((a, b) => (a.kind === b.kind ? a.name.localeCompare(b.name) : a.kind === 'folder' ? -1 : 1));
  const parent = dirname(folder);
  return {
    here: basename(folder) || folder,
    parent: parent === folder ? null : handles.give(parent).handle,
    entries: found.slice(0, MAX_ENTRIES).map(({ path }) => handles.give(path)),
  };
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'none';
  } catch {
    return 'none'; // a link to nothing, or not ours to look at
  }
}
