// Sets TensorFlow up, runtime and native modules, or reports in one line why it is missing. The program then runs on tfjs's own
// backend; with `strict` (CI and `npm test`) the line is an error.
import { join } from 'node:path';
import { buildsByUse, cacheFolder, findTensorflow, hasGpu } from '../../main/installation/locations.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { attemptsAt } from './attempts.mjs';
import { buildModules, findCompiler, modulesReady } from './binding.mjs';
import { findPython } from './python.mjs';
import { SetupProblem, textOf, waitingFor } from './report.mjs';
import { checkPlatform, installRuntime, runtimeReady } from './runtime.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/locations.mjs').Build} Build */

/** @param {unknown} error @returns {SetupProblem} */
const asProblem = (error) => SetupProblem.from(error, 'TensorFlow could not be set up', 'npm run setup');

/** @param {string} root the checkout @param {Build} build */
const isReady = (root, build) => runtimeReady(build) && modulesReady(root, build);

/**
 * @param {string} root the checkout
 * @param {Build} build
 * @param {Report} report
 */
async function install(root, build, report) {
  checkPlatform(build);
  // Before the large download: a missing program is reported at once.
  findCompiler();
  const python = runtimeReady(build) ? null : await findPython();
  await withLock(join(cacheFolder(), 'setup.lock'), waitingFor(report), async () => {
    if (!runtimeReady(build)) await installRuntime(python ?? (await findPython()), build, report);
    await buildModules(root, build, report);
  });
}

/**
 * Sets up the build for GPUs if a GPU is found, and the one for processors if there is none or that fails.
 * @param {string} root the checkout
 * @param {Report} report
 * @param {{ strict: boolean, required?: boolean, force?: boolean, gpu?: boolean }} options strict: a missing TensorFlow is an
 *   error; required: even if it is switched off; force: try again now; gpu: the build for NVIDIA GPUs, found or not
 * @returns {Promise<boolean>} whether TensorFlow is there
 * @throws {SetupProblem} when strict
 */
export async function ensureTensorflow(root, report, { strict, required, force, gpu }) {
  if (process.env['VERISIM_TENSORFLOW']) {
    const found = findTensorflow();
    if (found.bindingPath !== null) return true;
    const off = process.env['VERISIM_TENSORFLOW'] === 'none';
    if (required || (strict && !off)) throw new SetupProblem(textOf(found.notice), 'unset VERISIM_TENSORFLOW');
    if (force) report.say(textOf(found.notice));
    return false;
  }
  /** @type {readonly Build[]} */
  const builds = gpu ? ['gpu'] : hasGpu() ? buildsByUse() : ['cpu'];
  if (builds[0] && isReady(root, builds[0])) return true;
  const attempts = attemptsAt('tensorflow-notice.json');
  if (attempts.failedRecently() && !force && !strict) return builds.some((build) => isReady(root, build));
  const before = attempts.lastNotice();
  const remember = (/** @type {string} */ notice, /** @type {boolean} */ passing) => {
    attempts.remember(notice, passing);
    // The program repeats the notice itself; here it is shown when it is new or was requested.
    if (!strict && (force || before !== notice)) report.say(notice);
  };
  for (const build of builds) {
    const problem = isReady(root, build) ? null : await install(root, build, report).then(() => null, asProblem);
    if (problem === null) {
      if (build === builds[0]) attempts.forget();
      return true;
    }
    if (gpu) throw problem;
    if (build === 'gpu') remember(`The GPU is not used: ${problem.line}`, true);
    else {
      remember(
        `${problem.message}: training runs without TensorFlow, with WebAssembly, slowly. To fix it: ${problem.fix}`,
        problem.passing,
      );
      if (strict) throw problem;
    }
  }
  return false;
}
