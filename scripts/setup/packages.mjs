// The npm packages, installed exactly as in package-lock.json. A stamp in node_modules holds the hash of the lock file
// they were installed from, so nothing is done while that is the same.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem, installCommand } from './report.mjs';
import { findProgram, lastLines, run } from './run.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** @param {string} root */
const stampFile = (root) => join(root, 'node_modules', '.verisim-lock');

/** @param {string} root the checkout */
export function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** @param {string} root the checkout */
export function packagesReady(root) {
  try {
    return readFileSync(stampFile(root), 'utf8').trim() === lockHash(root);
  } catch {
    return false;
  }
}

/**
 * Runs npm: the one that runs us when there is one, else the one on the PATH.
 * @param {string} root
 * @param {readonly string[]} args
 */
export async function npm(root, args) {
  const runningUs = process.env['npm_execpath'];
  if (runningUs && /npm-cli\.c?js$/.test(runningUs)) return run(process.execPath, [runningUs, ...args], { cwd: root });
  const program = findProgram(['npm']);
  if (!program) throw new SetupProblem('npm was not found', installCommand('npm'));
  return run(program, [...args], { cwd: root });
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensurePackages(root, report) {
  if (packagesReady(root)) return;
  const started = performance.now();
  report.say('Installing the npm packages that package-lock.json names (npm ci, about half a minute).');
  rmSync(stampFile(root), { force: true });
  // Development packages are part of the set-up regardless of NODE_ENV: esbuild bundles the program.
  const { code, stdout, stderr } = await npm(root, ['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (code !== 0) {
    report.say(lastLines(`${stdout}\n${stderr}`));
    throw new SetupProblem('The npm packages could not be installed (npm ci failed, see above)', 'npm ci');
  }
  writeFileSync(stampFile(root), `${lockHash(root)}\n`);
  report.say(`Installed in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
}
