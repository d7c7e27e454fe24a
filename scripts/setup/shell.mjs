// Which Electron `npm start` opens the window with: npm's own, which it can fetch once, or the one that the tests have; or
// one plain sentence that says why there is no window.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { electronReady } from './electron.mjs';
import { cacheFolder, electronFolder, electronProgram, readJson } from '../../main/installation/locations.mjs';
import { lastLines, run } from './run.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {{ program: string, switches: readonly string[] }} Shell */

/** After a failed download the next starts do not try again for so long. `npm run setup` always does. */
const retryAfter = 24 * 60 * 60 * 1000;
const MAX_DOWNLOAD_MS = 10 * 60 * 1000;

const noticeFile = () => join(cacheFolder(), 'electron-notice.json');

/** A window needs somewhere to be. */
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
 * Lets npm's package fetch its binary, as it would have when it was installed.
 * @param {string} root the checkout
 * @param {Report} report
 * @param {{ force?: boolean }} options force: also when it failed lately
 * @returns {Promise<string | null>}
 */
async function fetchNpmElectron(root, report, { force = false }) {
  const last = readJson(noticeFile());
  if (!force && last && Date.now() - Number(last['at']) < retryAfter) return null;
  report.say('Fetching Electron for the window (about 110 MB, once).');
  const install = join(root, 'node_modules/electron/install.js');
  const { code, stderr } = await run(process.execPath, [install], { cwd: root, timeout: MAX_DOWNLOAD_MS });
  if (code === 0) {
    rmSync(noticeFile(), { force: true });
    return npmElectron(root);
  }
  mkdirSync(cacheFolder(), { recursive: true });
  writeFileSync(noticeFile(), JSON.stringify({ at: Date.now(), reason: lastLines(stderr, 1) }));
  return null;
}

/** Why Chromium's sandbox would refuse to start here, where that can be told beforehand. */
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
 * @param {{ force?: boolean }} [options]
 * @returns {Promise<Shell | { reason: string }>}
 */
export async function findShell(root, report, options = {}) {
  if (!hasDisplay()) return { reason: 'There is no display here, so no window opens.' };
  const program =
    npmElectron(root) ??
    (await fetchNpmElectron(root, report, options)) ??
    (electronReady() ? electronProgram(electronFolder()) : null);
  if (program === null) {
    return { reason: 'Electron could not be fetched, so no window opens. To try again: npx install-electron' };
  }
  const reason = sandboxProblem(join(program, '..'));
  if (reason !== null) return { reason };
  // Chromium's sandbox does not run as root.
  return { program, switches: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
