// The app as a folder, as electron-builder makes it: what is loaded and brought along is staged first, with the list of its
// hashes, the licences and the list of parts.
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '../../main/installation/download.mjs';
import { electronFolder, tensorflowFolder } from '../../main/installation/locations.mjs';
import { electronRuntime } from '../../main/installation/pinned.mjs';
import { electronReady, ensureElectron } from '../setup/electron.mjs';
import { licences, licencesText } from '../setup/licences.mjs';
import { SetupProblem } from '../setup/report.mjs';
import { npmElectron } from '../setup/shell.mjs';
import { windowFolder } from '../setup/window.mjs';
import { runtimeFolder } from './about.mjs';
import { icnsOf, icoOf } from './icons.mjs';
import { listFiles } from './integrity.mjs';
import { sbomOf } from './sbom.mjs';
import { describeRuntime, timeOfRuntime } from './runtime.mjs';
import { stageGpuRuntime, stageModules, stageRuntime } from './stage.mjs';

/** @typedef {import('../setup/report.mjs').Report} Report */
/** @typedef {import('./about.mjs').About} About */

/** Of Electron's folder, files that are changed or left out on the way. */
const notListed = /^(LICENSE|electron(\.exe)?|version|verisim\.json|resources\/.*|locales\/(?!en-US\.).*)$/;

/**
 * Which Electron is packaged: npm's, or where that cannot be fetched the one of the tests.
 * @param {string} root the checkout
 * @param {Report} report
 * @returns {Promise<{ version: string, folder: string | null, own: boolean }>} folder: null where electron-builder fetches it
 */
async function electronFor(root, report) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'));
  if (npmElectron(root) !== null) return { version, folder: join(root, 'node_modules/electron/dist'), own: false };
  if (process.platform !== 'linux' || process.env['VERISIM_ELECTRON'] === 'npm')
    return { version, folder: null, own: false };
  if (!electronReady()) await ensureElectron(root, report);
  report.say('Electron itself is not there: the Electron of the tests is packaged, to try this out.');
  return { version: electronRuntime.electronVersion, folder: electronFolder(), own: true };
}

/**
 * Everything that goes into the app, in dist/staged.
 * @param {string} root the checkout
 * @param {About} about
 * @param {{ folder: string | null, version: string }} electron
 * @param {Report} report
 * @param {boolean} withGpu whether the runtime for GPUs is staged as well, beside it
 */
async function stage(root, about, electron, report, withGpu) {
  const staged = join(root, 'dist', 'staged');
  rmSync(staged, { recursive: true, force: true });
  cpSync(windowFolder(root), join(staged, 'app'), { recursive: true });
  rmSync(join(staged, 'app', 'build.json'));
  const modules = await stageModules(root, join(staged, 'app', 'main', 'node_modules'));
  report.say(
    `${String(modules.files)} files of packages are loaded as they are (${(modules.bytes / 1e6).toFixed(1)} MB).`,
  );
  const runtimePlace = join(staged, 'runtime');
  mkdirSync(runtimePlace);
  stageRuntime(runtimePlace);
  const { runtime, sha256 } = await describeRuntime(runtimePlace, timeOfRuntime(root, about.time));
  /** @type {import('./integrity.mjs').FileList} */
  const own = {};
  // On macOS signing changes what is signed; there the system itself checks it.
  if (electron.folder !== null && process.platform === 'linux') {
    const all = await listFiles(electron.folder);
    for (const [name, file] of Object.entries(all)) if (!notListed.test(name)) own[name] = file;
  }
  const gpu = withGpu ? await stageGpu(gpuPlace(root), runtime.time) : null;
  const list = { version: about.version, files: own, runtime: { version: runtime.version, sha256 }, gpu };
  writeFileSync(join(staged, 'app', 'files.json'), JSON.stringify(list));
  writeUpdateSource(join(staged, 'app', 'updates.json'));
  const inRuntime = Object.entries(runtime.files).map(([name, file]) => [`${runtimeFolder}/${name}`, file]);
  const files = { ...Object.fromEntries(inRuntime), ...own };
  const parts = licences(root);
  writeFileSync(join(staged, 'licences.txt'), licencesText(parts));
  const notices = join(tensorflowFolder(), 'THIRD_PARTY_NOTICES.txt');
  writeFileSync(join(staged, 'sbom.json'), sbomOf({ root, about, parts, electron: electron.version, files, notices }));
  writeFileSync(join(staged, 'icon.ico'), icoOf(root));
  writeFileSync(join(staged, 'icon.icns'), icnsOf(root));
  return staged;
}

/**
 * Where the app looks for newer versions, when it is asked to: VERISIM_UPDATES is the address of a folder, VERISIM_UPDATES_KEY the
 * file of the public key (PEM) that its list is signed with. Without them it looks nowhere.
 * @param {string} file
 * @throws {SetupProblem}
 */
function writeUpdateSource(file) {
  const { VERISIM_UPDATES: address, VERISIM_UPDATES_KEY: key } = process.env;
  if (!address && !key) return;
  if (!address || !key)
    throw new SetupProblem('Of VERISIM_UPDATES and VERISIM_UPDATES_KEY only one is set', 'set both, or neither');
  const pem = createPublicKey(readFileSync(key)).export({ type: 'spki', format: 'pem' });
  writeFileSync(file, JSON.stringify({ address: new URL(address).href, key: String(pem) }));
}

/** Where the runtime for GPUs is staged. @param {string} root the checkout */
export const gpuPlace = (root) => join(root, 'dist', 'staged-gpu');

/**
 * @param {string} folder
 * @param {number} time
 */
async function stageGpu(folder, time) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  stageGpuRuntime(folder);
  const { runtime, sha256 } = await describeRuntime(folder, time);
  return { version: runtime.version, sha256 };
}

/**
 * @param {string} root the checkout
 * @param {About} about
 * @param {Report} report
 * @param {boolean} [withGpu] whether the app knows a runtime for GPUs, which is then staged in `gpuPlace`
 * @returns {Promise<string>} the folder that electron-builder made
 * @throws {SetupProblem}
 */
export async function makeFolder(root, about, report, withGpu = false) {
  const electron = await electronFor(root, report);
  const staged = await stage(root, about, electron, report, withGpu);
  const settings = readFileSync(join(root, 'electron-builder.yml'), 'utf8');
  const config = join(staged, 'electron-builder.yml');
  // An old Electron has not every switch yet.
  writeFileSync(config, electron.own ? settings.replace(/^ *grantFileProtocolExtraPrivileges:.*\n/m, '') : settings);
  const args = [
    ...['--config', config, `-c.electronVersion=${electron.version}`],
    ...(electron.folder !== null && process.platform === 'linux' ? [`-c.electronDist=${electron.folder}`] : []),
    ...(process.platform === 'linux' ? ['--linux', 'dir'] : []),
  ];
  const builder = join(root, 'node_modules/electron-builder/cli.js');
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(about.time) };
  const { status } = spawnSync(process.execPath, [builder, ...args], { cwd: root, stdio: 'inherit', env });
  if (status !== 0) throw new SetupProblem('electron-builder could not make the app (see above)', 'npm run package');
  const folder = join(root, 'dist/packages/linux-unpacked');
  // Electron's first program, which starts others.
  for (const name of ['resources/default_app.asar', 'verisim.json']) rmSync(join(folder, name), { force: true });
  if (process.platform === 'linux') {
    const asar = await hashFile(join(folder, 'resources/app.asar'));
    writeFileSync(join(folder, 'resources/integrity.json'), `${JSON.stringify({ asar })}\n`);
  }
  return folder;
}
