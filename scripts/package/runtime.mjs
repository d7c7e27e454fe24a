// The runtime apart from the app: resources/runtime has a version and a list of its own (`runtime.json`), and packages of its own
// for Debian and Fedora, so that an update of the app neither brings it again nor has it read again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tensorflow } from '../../main/installation/pinned.mjs';
import { runtimeFolder } from './about.mjs';
import { listFiles } from './integrity.mjs';

/** @typedef {import('./integrity.mjs').FileList} FileList */
/**
 * @typedef {object} Runtime
 * @property {string} version TensorFlow's, the day when what it is made of was last changed, and the begin of its list's hash
 * @property {number} time seconds since 1970, of that change: of all its files
 * @property {FileList} files by name in resources/runtime
 */

const listName = 'runtime.json';

/** What decides what is in it, besides TensorFlow's own files. */
const sources = [
  ...['main/installation/pinned.mjs', 'scripts/package/stage.mjs', 'scripts/setup/binding.mjs'],
  ...['scripts/setup/*.cc', 'scripts/setup/*.h', 'scripts/setup/*.py'],
];

/**
 * When the runtime was last changed, as git tells it: two versions of the app between which it was not have the same one.
 * @param {string} root the checkout
 * @param {number} otherwise where git does not tell
 * @returns {number} seconds since 1970
 */
export function timeOfRuntime(root, otherwise) {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct', '--', ...sources], { cwd: root, encoding: 'utf8' });
  return Number(stdout.trim()) || otherwise;
}

const hashOf = (/** @type {string | Buffer} */ bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * Writes the list of a runtime into its folder.
 * @param {string} folder
 * @param {number} time seconds since 1970
 * @returns {Promise<{ runtime: Runtime, sha256: string }>} with the hash of that list, by which an app knows its runtime
 */
export async function describeRuntime(folder, time) {
  rmSync(join(folder, listName), { force: true }); // it is none of them
  const files = await listFiles(folder);
  const day = new Date(time * 1000).toISOString().slice(0, 10).replaceAll('-', '');
  const version = `${tensorflow.cpu.version}+${day}.${hashOf(JSON.stringify(files)).slice(0, 8)}`;
  const text = `${JSON.stringify({ version, time, files }, null, 1)}\n`;
  writeFileSync(join(folder, listName), text);
  return { runtime: { version, time, files }, sha256: hashOf(text) };
}

/**
 * @param {string} unpacked the app's folder
 * @returns {Runtime}
 */
export const readRuntime = (unpacked) => readList(join(unpacked, runtimeFolder));

/**
 * @param {string} folder a runtime
 * @returns {Runtime}
 */
export const readList = (folder) => JSON.parse(readFileSync(join(folder, listName), 'utf8'));
