/** What the checks of shared/config/checks.ts want to know about the disk, asked of the disk. */
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
    // A folder that may not be searched hides what is in it; say "cannot be read" rather than "not found".
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'file' : 'missing';
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
  matching(pattern) {
    try {
      return filesMatching(pattern);
    } catch {
      return []; // a folder that may not be looked into: what is in it is not found
    }
  },
  textsIn(folder) {
    try {
      return textsInFolder(folder).files;
    } catch {
      return []; // the same; one that holds too much says so when it is read
    }
  },
};
