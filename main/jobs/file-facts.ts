/** Answers the questions of shared/config/checks.ts about the disk. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FileFacts } from '../../shared/config/checks.js';
import { textsInFolder } from '../storage/texts/list/list-texts.js';
import { filesMatching } from '../storage/texts/list/glob.js';

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function kind(path: string): ReturnType<FileFacts['kind']> {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    // A folder without search permission hides its files: report "cannot be read" rather than "not found".
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'file' : 'missing';
  }
}

/** Lists files; none if the folder cannot be read. One that holds too much is reported when it is read. */
function listed(list: () => readonly string[]): readonly string[] {
  try {
    return list();
  } catch {
    return [];
  }
}

export const fileFacts: FileFacts = {
  kind,
  readable: (path) => may(path, constants.R_OK | (kind(path) === 'folder' ? constants.X_OK : 0)),
  writable(path) {
    let folder = resolve(path);
    while (kind(folder) === 'missing' && dirname(folder) !== folder) folder = dirname(folder);
    return kind(folder) === 'folder' && may(folder, constants.W_OK | constants.X_OK);
  },
  matching: (pattern) => listed(() => filesMatching(pattern)),
  textsIn: (folder) => listed(() => textsInFolder(folder).files),
};
