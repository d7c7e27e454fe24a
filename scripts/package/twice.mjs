// Two builds of one commit are the same bytes, or what differs is named: of the app each file, of the packages each one.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { hashFile } from '../../main/installation/download.mjs';
import { listFiles } from './integrity.mjs';

/** @typedef {import('./integrity.mjs').FileList} FileList */

/**
 * @param {string} unpacked electron-builder's folder
 * @param {readonly string[]} packages made out of it
 * @returns {Promise<FileList>} by name
 */
export async function sumsOf(unpacked, packages) {
  const list = await listFiles(unpacked, `${basename(unpacked)}/`);
  for (const file of packages) list[basename(file)] = { size: statSync(file).size, sha256: await hashFile(file) };
  return list;
}

/**
 * @param {FileList} one
 * @param {FileList} other
 * @returns {string[]} the names of what is not the same, or is in one alone
 */
export const differing = (one, other) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name]?.sha256 !== other[name]?.sha256)
    .sort();
