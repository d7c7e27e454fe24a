// Runs the steps of the set-up: packages, TensorFlow, sample text, build, window, the sample's base model; and for the tests an
// Electron and packages of the system. Each step first checks cheaply whether there is anything to do.
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './build.mjs';
import { ensureElectron } from './electron.mjs';
import { ensureModel } from './model.mjs';
import { ensurePackages } from './packages.mjs';
import { SetupProblem } from './report.mjs';
import { ensureSample } from './sample.mjs';
import { ensureSystem } from './system.mjs';
import { ensureTensorflow } from './tensorflow.mjs';
import { ensureWindow } from './window.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** The checkout that these scripts belong to. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

export const steps = ['packages', 'tensorflow', 'sample', 'build', 'window', 'model', 'electron', 'system'];

/** The steps of `npm start` and `npm run setup`. */
export const whole = steps.filter((step) => !['electron', 'system'].includes(step));

/** The steps that the command line needs. */
export const usual = ['packages', 'tensorflow', 'sample', 'build'];

/** In CI nothing falls back silently. */
const strictByDefault = () => /^(true|1|yes)$/i.test(process.env['CI'] ?? '');

/**
 * @param {Report} report
 * @param {{ strict?: boolean, required?: boolean, force?: boolean, gpu?: boolean, only?: readonly string[] }} [options]
 *   strict, required, force, gpu: see `ensureTensorflow`; only: some of `steps`; by default `usual`
 * @returns {Promise<{ tensorflow: boolean }>}
 * @throws {SetupProblem}
 */
export async function setUp(report, options = {}) {
  const strict = options.strict ?? strictByDefault();
  const wanted = (/** @type {string} */ step) => (options.only ?? usual).includes(step);
  if (wanted('packages')) await ensurePackages(root, report);
  const tensorflow = wanted('tensorflow') ? await ensureTensorflow(root, report, { ...options, strict }) : false;
  if (wanted('sample')) await ensureSample(root, report, { strict });
  if (wanted('build')) await ensureBuild(root, report);
  if (wanted('window')) await ensureWindow(root, report);
  if (wanted('model')) await ensureModel(report, { strict, force: options.force ?? false });
  if (wanted('electron')) await ensureElectron(root, report);
  if (wanted('system')) await ensureSystem(report);
  return { tensorflow };
}

/**
 * Runs `work`; a problem that the user can fix ends the process with one line.
 * @template T
 * @param {Report} report
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function orExplain(report, work) {
  try {
    return await work();
  } catch (error) {
    const problem = diskProblem(error) ?? error;
    if (!(problem instanceof SetupProblem)) throw error;
    report.say(`Set-up failed. ${problem.line}`);
    process.exit(1);
  }
}

/** What a disk refuses, by the system's code. */
const refusals = /** @type {Readonly<Record<string, readonly [string, string]>>} */ ({
  EACCES: ['This user may not write', 'run npm run setup once as the user who owns that folder'],
  EPERM: ['This user may not write', 'run npm run setup once as the user who owns that folder'],
  EROFS: ['The disk is read-only, for', 'run npm run setup once where it can be written'],
  ENOSPC: ['The disk is full, for', 'free some space there'],
});

/** @param {unknown} error */
function diskProblem(error) {
  const { code = '', path = root } = /** @type {NodeJS.ErrnoException} */ (error);
  const [what, fix] = refusals[code] ?? [];
  return what === undefined || fix === undefined ? null : new SetupProblem(`${what} ${path}`, fix);
}
