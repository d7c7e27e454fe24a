// The list of what an installed app consists of: size and SHA-256 of every file that lies beside its archive. It is part of the
// archive (main/app/installed/installation reads it), so that a library that was changed is found before it is loaded.
import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { hashFile } from '../../main/installation/download.mjs';
import { everythingIn } from './tree.mjs';

/** @typedef {Record<string, { size: number, sha256: string }>} FileList */

/**
 * @param {string} folder
 * @param {string} [prefix] before each name
 * @returns {Promise<FileList>} by name, with forward slashes, in their order
 */
export async function listFiles(folder, prefix = '') {
  /** @type {FileList} */
  const list = {};
  for (const { path, kind } of everythingIn(folder)) {
    if (kind !== 'file') continue;
    const name = relative(folder, path).split(sep).join('/');
    list[prefix + name] = { size: statSync(path).size, sha256: await hashFile(path) };
  }
  return list;
}
