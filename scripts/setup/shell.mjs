// Finds the Electron for `npm start`: npm's own, downloaded once, or that of the tests; or one sentence why there is no window.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { electronFolder, electronProgram } from '../../main/installation/locations.mjs';
import { attemptsAt } from './attempts.mjs';
import { electronReady } from './electron.mjs';
import { lastLines, run } from './run.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {{ program: string, switches: readonly string[] }} Shell */

const MAX_DOWNLOAD_MS = 10 * 60 * 1000;

/** Reports whether a window can be shown. */
export const hasDisplay = (environment = process.env, platform = process.platform) =>
  platform !== 'linux' || Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);

/** @param {string} root the checkout @returns {string | null} npm's Electron, when its binary is there */
export function npmElectron(root) {
  const folder = join(root, 'node_modules/electron');
  const name = join(folder, 'path.txt');
  if (!existsSync(name)) return null;
  const program = join(folder, 'dist', readFileSync(name, 'utf8').trim());
  return existsSync(program) ? program : null;
}

/**
 * Lets npm's package download its binary, as it would have when it was installed.
 * @param {string} root the checkout
 * @param {Report} report
 * @returns {Promise<string | null>}
 */
async function fetchNpmElectron(root, report) {
  const attempts = attemptsAt('electron-notice.json', 24);
  if (attempts.failedRecently()) return null;
  report.say('Fetching Electron for the window (about 110 MB, once).');
  const install = join(root, 'node_modules/electron/install.js');
  const { code, stderr } = await run(process.execPath, [install], { cwd: root, timeout: MAX_DOWNLOAD_MS });
  if (code === 0) attempts.forget();
  else attempts.remember(lastLines(stderr, 1), true);
  return code === 0 ? npmElectron(root) : null;
}

/** Reports why Chromium's sandbox would refuse to start here, as far as that is known before. */
function sandboxProblem(/** @type {string} */ folder) {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return null;
  const helper = join(folder, 'chrome-sandbox');
  const { uid, mode } = existsSync(helper) ? statSync(helper) : { uid: 0, mode: 0o4755 };
  if (uid === 0 && (mode & 0o4000) !== 0) return null;
  const says = (/** @type {string} */ file, /** @type {string} */ value) => {
    try {
      return readFileSync(file, 'utf8').trim() === value;
    } catch {
      return false;
    }
  };
  const restricted =
    says('/proc/sys/kernel/unprivileged_userns_clone', '0') ||
    says('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1');
  return restricted
    ? `This system does not let Electron's sandbox start. To fix it: sudo chown root:root ${helper} && sudo chmod 4755 ${helper}`
    : null;
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @returns {Promise<Shell | { reason: string }>}
 */
export async function findShell(root, report) {
  if (!hasDisplay()) return { reason: 'There is no display here, so no window opens.' };
  const program =
    npmElectron(root) ??
    (await fetchNpmElectron(root, report)) ??
    (electronReady() ? electronProgram(electronFolder()) : null);
  if (program === null) {
    return { reason: 'Electron could not be fetched, so no window opens. To try again: npx install-electron' };
  }
  const reason = sandboxProblem(join(program, '..'));
  if (reason !== null) return { reason };
  // Chromium's sandbox does not run as root.
  return { program, switches: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
