// What the tests need from the system: a virtual screen (Xvfb), a current Chromium and the libraries of Electron. As root on
// Debian the set-up installs them; elsewhere it names the packages.
import { electronProgram } from '../../main/installation/locations.mjs';
import { SetupProblem, installCommand } from './report.mjs';
import { findProgram, lastLines, run } from './run.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** Debian's names. */
const electronLibraries = [
  ...['libnss3', 'libgtk-3-0', 'libgbm1', 'libasound2', 'libatk-bridge2.0-0', 'libcups2', 'libdrm2', 'libxkbcommon0'],
];

/** @returns {string | null} the browser of the tests */
export const findChromium = () =>
  findProgram([
    process.env['VERISIM_CHROMIUM'],
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]);

/** Whether every library that Electron is linked with is there. */
async function electronLoads() {
  const { code, stdout } = await run('ldd', [electronProgram()]);
  return code === 0 && !stdout.includes('not found');
}

/** @returns {Promise<string[]>} Debian packages to install */
async function missingPackages() {
  return [
    ...(findProgram(['Xvfb']) && findProgram(['xauth']) ? [] : ['xvfb', 'xauth']),
    ...(findChromium() ? [] : ['chromium', 'fonts-liberation']),
    ...((await electronLoads()) ? [] : electronLibraries),
  ];
}

/**
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureSystem(report) {
  const missing = await missingPackages();
  if (missing.length === 0) return;
  const problem = new SetupProblem(
    `The tests need more from the system (${missing.join(', ')})`,
    installCommand(missing.join(' ')),
  );
  const apt = process.getuid?.() === 0 ? findProgram(['apt-get']) : null;
  if (!apt) throw problem;
  report.say(`Installing ${missing.join(', ')} with apt-get (once, about a minute).`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The lists may be old or empty: what is on them may not be there any more.
  await run(apt, ['update'], { env });
  const { code, stderr } = await run(apt, ['install', '-y', '--no-install-recommends', ...missing], { env });
  if (code !== 0 || (await missingPackages()).length > 0) {
    if (stderr) report.say(lastLines(stderr, 5));
    throw problem;
  }
}
