// Sets up the TensorFlow runtime in the cache folder: downloaded, unpacked and checked. Its stamp `runtime.json` lists every file
// with size and SHA-256.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasSize, readJson, tensorflowFolder } from '../../main/installation/locations.mjs';
import { tensorflow } from '../../main/installation/pinned.mjs';
import { SetupProblem } from './report.mjs';
import { installWheels } from './wheels.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./python.mjs').FileList} FileList */
/** @typedef {import('../../main/installation/locations.mjs').Build} Build */

/** The hashes of the wheels that a runtime is unpacked from. @param {Build} build */
export const wheelsKey = (build) => tensorflow[build].wheels.map(({ sha256 }) => sha256).join(' ');

/**
 * The names under which linker and loader look for the library.
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
 * Checks at each start that every file has its size.
 * @param {Build} build
 */
export function runtimeReady(build, folder = tensorflowFolder(build)) {
  const stamp = readJson(join(folder, 'runtime.json'));
  if (stamp?.['wheel'] !== wheelsKey(build)) return false;
  const files = /** @type {FileList} */ (stamp['files']);
  return (
    Object.entries(files).every(([name, { size }]) => hasSize(join(folder, name), size)) &&
    Object.entries(links).every(([name, to]) => hasSize(join(folder, 'deps/lib', name), files[`deps/lib/${to}`]?.size))
  );
}

/**
 * @param {Build} build
 * @throws {SetupProblem} if there is no such runtime for this system
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
  const { header } = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
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
  const finish = (/** @type {string} */ fresh, /** @type {FileList} */ files) => {
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(fresh, 'deps/lib', name));
    writeFileSync(join(fresh, 'runtime.json'), JSON.stringify({ wheel: wheelsKey(build), files }, null, 1));
  };
  return installWheels({ ...tensorflow[build], folder: tensorflowFolder(build) }, finish, python, report);
}
