// Builds the desktop app into dist/app when its sources changed: main process, trainer and preload script as CommonJS,
// the page for the browser engine. electron-vite builds into a temporary folder, which then replaces the previous one.
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasSize, readJson } from '../../main/installation/locations.mjs';
import { buildFileReader, FILE_READER } from './file-reader.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { SetupProblem, waitingFor } from './report.mjs';
import { lastLines, run } from './run.mjs';
import { sourceKey } from './source-key.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** The app's files, from the root of the checkout. */
const sources = ['main', 'shared', 'renderer', 'resources', 'scripts/setup', 'electron.vite.config.ts'];

/** @param {string} root the checkout */
export const windowFolder = (root) => join(root, 'dist', 'app');

/** @param {string} root the checkout */
export function windowReady(root) {
  const folder = windowFolder(root);
  const stamp = readJson(join(folder, 'build.json'));
  return stamp?.['key'] === sourceKey(root, sources, null) && hasSize(join(folder, 'main', 'index.js'), stamp['size']);
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 */
async function buildWindow(root, report) {
  const key = sourceKey(root, sources, null); // before building: what is saved meanwhile is built next time
  const folder = windowFolder(root);
  const fresh = `${folder}.building`;
  const before = `${folder}.before`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  report.say('Building the window (about 10 s).');
  try {
    const { code, stdout, stderr } = await run(
      process.execPath,
      [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'],
      { cwd: root, env: { ...process.env, VERISIM_WINDOW_FOLDER: fresh, NODE_ENV: 'production' } },
    );
    if (code !== 0) {
      report.say(lastLines(`${stdout}\n${stderr}`));
      throw new SetupProblem('The window could not be built (see above)', 'npm run typecheck shows what is wrong');
    }
    await buildFileReader(root, join(fresh, 'main', FILE_READER));
    mkdirSync(join(fresh, 'resources'));
    copyFileSync(join(root, 'resources/icon.png'), join(fresh, 'resources/icon.png'));
    cpSync(join(root, 'resources/locales'), join(fresh, 'resources/locales'), { recursive: true });
    const { version, description, license, author, homepage } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const own = { name: 'verisim', productName: 'Verisim', version, description, license, author, homepage };
    writeFileSync(join(fresh, 'package.json'), JSON.stringify({ ...own, main: 'main/index.js' }));
    const { length: size } = readFileSync(join(fresh, 'main', 'index.js'));
    writeFileSync(join(fresh, 'build.json'), JSON.stringify({ key, size }));
    rmSync(before, { recursive: true, force: true });
    try {
      renameSync(folder, before);
    } catch {
      // the first build
    }
    renameSync(fresh, folder);
  } finally {
    for (const left of [fresh, before]) rmSync(left, { recursive: true, force: true });
  }
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureWindow(root, report) {
  if (windowReady(root)) return;
  await withLock(join(root, 'dist', 'window.lock'), waitingFor(report), async () => {
    if (!windowReady(root)) await buildWindow(root, report);
  });
}
