// The TensorFlow runtime in the cache folder: fetched, unpacked and checked. Its stamp `runtime.json` lists every file
// with size and SHA-256 and is part of a folder that gets its name last, so a folder that has the name is whole.
import { mkdirSync, renameSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashFile } from './download.mjs';
import { cacheFolder, hasSize, readJson, tensorflowFolder } from './locations.mjs';
import { tensorflow } from './pinned.mjs';
import { unpackWheel } from './python.mjs';
import { SetupProblem, megabytes } from './report.mjs';
import { fetchWheel } from './wheel.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {Record<string, { size: number, sha256: string }>} FileList */

/** The names under which the linker and the loader look for the library. */
const links = {
  'libtensorflow.so': 'libtensorflow_cc.so.2',
  'libtensorflow.so.2': 'libtensorflow_cc.so.2',
  'libtensorflow_framework.so': 'libtensorflow_framework.so.2',
};

/** @param {string} folder @returns {FileList | null} */
function listedFiles(folder) {
  const stamp = readJson(join(folder, 'runtime.json'));
  if (stamp?.['wheel'] !== tensorflow.sha256) return null;
  return /** @type {FileList} */ (stamp['files']);
}

/** Every file is there and has its size: cheap, done at each start. */
export function runtimeReady(folder = tensorflowFolder()) {
  const files = listedFiles(folder);
  if (!files) return false;
  return (
    Object.entries(files).every(([name, { size }]) => hasSize(join(folder, name), size)) &&
    Object.entries(links).every(([name, to]) => hasSize(join(folder, 'deps/lib', name), files[`deps/lib/${to}`]?.size))
  );
}

/**
 * Reads every file again: slow, done by `npm run setup -- --verify`.
 * @returns {Promise<string[]>} the names of the files that are not what they were
 */
export async function damagedFiles(folder = tensorflowFolder()) {
  const damaged = [];
  for (const [name, { size, sha256 }] of Object.entries(listedFiles(folder) ?? {})) {
    const path = join(folder, name);
    if (!hasSize(path, size) || (await hashFile(path)) !== sha256) damaged.push(name);
  }
  return damaged;
}

/** @throws {SetupProblem} where there is no such runtime */
export function checkPlatform() {
  const here = `${process.platform} on ${process.arch}`;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupProblem(
      `Native TensorFlow is set up on Linux x64 only, and this is ${here}`,
      'use a Linux x64 machine',
    );
  }
  const header = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport()).header;
  const glibc = header?.glibcVersionRuntime;
  if (!glibc || glibc.localeCompare(tensorflow.oldestGlibc, 'en', { numeric: true }) < 0) {
    throw new SetupProblem(
      `TensorFlow needs glibc ${tensorflow.oldestGlibc} or newer, and this system has ${glibc ?? 'another C library'}`,
      'use a Linux with a newer glibc, for example Debian 12',
    );
  }
}

/**
 * @param {string} folder
 * @param {number} needed bytes
 * @param {string} what it is for
 * @throws {SetupProblem}
 */
export function checkDiskSpace(folder, needed = tensorflow.diskSpace, what = 'TensorFlow') {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < needed) throw diskFull(folder, bavail * bsize, needed, what);
}

/**
 * @param {string} folder
 * @param {number} [free] bytes
 * @param {number} [needed] bytes
 * @param {string} [what] what it is for
 */
export function diskFull(folder, free, needed = tensorflow.diskSpace, what = 'TensorFlow') {
  return new SetupProblem(
    `The disk of ${folder} is too full for ${what}: ${megabytes(needed)} MB are needed` +
      (free === undefined ? '' : `, ${megabytes(free)} MB are free`),
    'free some space, or set XDG_CACHE_HOME to a folder on another disk',
  );
}

/**
 * Makes the runtime folder. The caller holds the set-up lock.
 * @param {string} python
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function installRuntime(python, report) {
  const folder = tensorflowFolder();
  const wheel = join(cacheFolder(), 'downloads', `${tensorflow.name}-${tensorflow.version}.whl`);
  const fresh = `${folder}.unpacking`;
  mkdirSync(dirname(wheel), { recursive: true });
  rmSync(fresh, { recursive: true, force: true }); // left by an interrupted set-up
  try {
    checkDiskSpace(dirname(wheel));
    report.say(`Downloading TensorFlow ${tensorflow.version} (274 MB, once; kept in ${cacheFolder()}).`);
    await fetchWheel(python, tensorflow, wheel, report);
    report.say('Unpacking it.');
    const files = await unpackWheel(python, 'unpack.py', wheel, fresh, (done, total) => {
      report.progress('Unpacking', done, total);
    });
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(fresh, 'deps/lib', name));
    writeFileSync(join(fresh, 'runtime.json'), JSON.stringify({ wheel: tensorflow.sha256, files }, null, 1));
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    rmSync(wheel, { force: true });
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (/ENOSPC|No space left/.test(String(error))) throw diskFull(dirname(wheel));
    throw error;
  }
}
