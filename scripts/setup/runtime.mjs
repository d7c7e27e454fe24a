// The TensorFlow runtime in the cache folder: fetched, unpacked and checked. Its stamp `runtime.json` lists every file
// with size and SHA-256 and is part of a folder that gets its name last, so a folder that has the name is whole.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '../../main/installation/download.mjs';
import { installWheels } from './install-wheels.mjs';
import { hasSize, readJson, tensorflowFolder } from '../../main/installation/locations.mjs';
import { tensorflow } from '../../main/installation/pinned.mjs';
import { SetupProblem } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/locations.mjs').Build} Build */
/** @typedef {Record<string, { size: number, sha256: string }>} FileList */

/**
 * What a runtime is taken out of: hashes of its wheels.
 * @param {Build} build
 */
export const wheelsKey = (build) => tensorflow[build].wheels.map(({ sha256 }) => sha256).join(' ');

/**
 * The names under which the linker and the loader look for the library.
 * @param {NodeJS.Platform} platform
 * @returns {Readonly<Record<string, string>>}
 */
export const linksFor = (platform) =>
  platform === 'darwin'
    ? {
        'libtensorflow.dylib': 'libtensorflow_cc.2.dylib',
        'libtensorflow_framework.dylib': 'libtensorflow_framework.2.dylib',
      }
    : {
        'libtensorflow.so': 'libtensorflow_cc.so.2',
        'libtensorflow.so.2': 'libtensorflow_cc.so.2',
        'libtensorflow_framework.so': 'libtensorflow_framework.so.2',
      };
const links = linksFor(process.platform);

/**
 * @param {Build} build
 * @param {string} folder
 * @returns {FileList | null}
 */
function listedFiles(build, folder) {
  const stamp = readJson(join(folder, 'runtime.json'));
  if (stamp?.['wheel'] !== wheelsKey(build)) return null;
  return /** @type {FileList} */ (stamp['files']);
}

/**
 * Every file is there and has its size: cheap, done at each start.
 * @param {Build} build
 */
export function runtimeReady(build, folder = tensorflowFolder(build)) {
  const files = listedFiles(build, folder);
  if (!files) return false;
  return (
    Object.entries(files).every(([name, { size }]) => hasSize(join(folder, name), size)) &&
    Object.entries(links).every(([name, to]) => hasSize(join(folder, 'deps/lib', name), files[`deps/lib/${to}`]?.size))
  );
}

/**
 * Reads every file again: slow, done by `npm run setup -- --verify`.
 * @param {Build} build
 * @returns {Promise<string[]>} the names of the files that are not what they were
 */
export async function damagedFiles(build, folder = tensorflowFolder(build)) {
  const damaged = [];
  for (const [name, { size, sha256 }] of Object.entries(listedFiles(build, folder) ?? {})) {
    const path = join(folder, name);
    if (!hasSize(path, size) || (await hashFile(path)) !== sha256) damaged.push(name);
  }
  return damaged;
}

/**
 * @param {Build} build
 * @throws {SetupProblem} where there is no such runtime
 */
export function checkPlatform(build) {
  const { oldestGlibc } = tensorflow[build];
  const here = `${process.platform} on ${process.arch}`;
  if (here === 'darwin on arm64' && build === 'cpu') return;
  if (here !== 'linux on x64') {
    throw new SetupProblem(
      `Native TensorFlow is set up on Linux x64 and on Macs with Apple's processors only, and this is ${here}`,
      'use such a machine',
    );
  }
  const header = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport()).header;
  const glibc = header?.glibcVersionRuntime;
  if (!glibc || glibc.localeCompare(oldestGlibc, 'en', { numeric: true }) < 0) {
    throw new SetupProblem(
      `TensorFlow needs glibc ${oldestGlibc} or newer, and this system has ${glibc ?? 'another C library'}`,
      'use a Linux with a newer glibc, for example Debian 12',
    );
  }
}

/**
 * Makes the runtime folder. The caller holds the set-up lock.
 * @param {string} python
 * @param {Build} build
 * @param {Report} report
 * @throws {SetupProblem}
 */
export function installRuntime(python, build, report) {
  return installWheels(
    {
      ...tensorflow[build],
      folder: tensorflowFolder(build),
      unpacker: 'unpack.py',
      finish(fresh, files) {
        for (const [name, to] of Object.entries(links)) symlinkSync(to, join(fresh, 'deps/lib', name));
        writeFileSync(join(fresh, 'runtime.json'), JSON.stringify({ wheel: wheelsKey(build), files }, null, 1));
        return fresh;
      },
    },
    python,
    report,
  );
}
