// Runs electron-builder on what stage.mjs puts into dist/staged, then makes deb and rpm from the folder.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { electronFolder } from '../../main/installation/locations.mjs';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { electronReady, ensureElectron } from '../setup/electron.mjs';
import { licences, licencesText } from '../setup/licences.mjs';
import { SetupProblem } from '../setup/report.mjs';
import { npmElectron } from '../setup/shell.mjs';
import { windowFolder } from '../setup/window.mjs';
import { makeLinuxPackage } from './linux.mjs';
import { stageLlama, stageModules, stageRuntime } from './stage.mjs';

/** @typedef {import('../setup/report.mjs').Report} Report */

/**
 * Chooses the Electron to package.
 * @param {string} root the checkout
 * @param {Report} report
 * @returns {Promise<{ version: string, folder: string | null, forTests: boolean }>} folder: null if electron-builder downloads it
 */
async function chooseElectron(root, report) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'));
  const hasOwn = npmElectron(root) !== null;
  if (hasOwn || process.platform !== 'linux' || process.env['VERISIM_ELECTRON'] === 'npm')
    return { version, folder: hasOwn ? join(root, 'node_modules/electron/dist') : null, forTests: false };
  if (!electronReady()) await ensureElectron(root, report);
  report.say('Electron is not downloaded: the Electron of the tests is packaged, for trying the package out.');
  return { version: electronRuntime.electronVersion, folder: electronFolder(), forTests: true };
}

/** Puts everything that goes into the app into dist/staged. @param {string} root the checkout @param {Report} report */
async function stage(root, report) {
  const staged = join(root, 'dist/staged');
  rmSync(staged, { recursive: true, force: true });
  cpSync(windowFolder(root), join(staged, 'app'), { recursive: true });
  rmSync(join(staged, 'app/build.json'));
  const { files, bytes } = await stageModules(root, join(staged, 'app/main/node_modules'));
  report.say(`${String(files)} files of packages are copied (${(bytes / 1e6).toFixed(1)} MB).`);
  mkdirSync(join(staged, 'runtime'));
  stageRuntime(join(staged, 'runtime'));
  stageLlama(root, join(staged, 'runtime'));
  writeFileSync(join(staged, 'licences.txt'), licencesText(licences(root)));
  return staged;
}

/**
 * @param {string} root the checkout
 * @param {readonly string[]} kinds
 * @param {Report} report
 * @returns {Promise<string[]>} the files and folders made
 * @throws {SetupProblem}
 */
export async function makePackages(root, kinds, report) {
  const electron = await chooseElectron(root, report);
  const staged = await stage(root, report);
  const settings = readFileSync(join(root, 'electron-builder.yml'), 'utf8');
  const config = join(staged, 'electron-builder.yml');
  // The Electron of the tests is too old for this fuse.
  writeFileSync(
    config,
    electron.forTests ? settings.replace(/^ *grantFileProtocolExtraPrivileges:.*\n/m, '') : settings,
  );
  const isLinux = process.platform === 'linux';
  const onlyFolder = isLinux ? !kinds.includes('AppImage') : !kinds.includes('installer');
  const { status } = spawnSync(
    process.execPath,
    [
      ...[join(root, 'node_modules/electron-builder/cli.js'), '--publish', 'never'],
      ...['--config', config, `-c.electronVersion=${electron.version}`],
      ...(electron.folder !== null && isLinux ? [`-c.electronDist=${electron.folder}`] : []),
      ...(onlyFolder ? ['--dir'] : isLinux ? ['--linux', 'AppImage'] : []),
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) throw new SetupProblem('electron-builder failed (see above)', 'npm run package');
  const output = join(root, 'dist/packages');
  const unpacked = join(output, 'linux-unpacked');
  for (const name of ['resources/default_app.asar', 'verisim.json']) rmSync(join(unpacked, name), { force: true });
  for (const kind of kinds)
    if (kind === 'deb' || kind === 'rpm') await makeLinuxPackage(kind, root, unpacked, output, report);
  return readdirSync(output)
    .filter((name) => /\.(AppImage|deb|rpm|exe|dmg|zip)$|-unpacked$/.test(name))
    .map((name) => join(output, name));
}
