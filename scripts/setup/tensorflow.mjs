// Sees to it that TensorFlow is there: runtime and binding, or one plain line that says why not. The program then runs on
// tfjs's own backend; where that must not happen silently (`strict`: CI and `npm test`) the line is a failure.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bindingReady,
  buildBinding,
  buildCollectives,
  buildLargeBlocks,
  collectivesReady,
  findCompiler,
  largeBlocksReady,
} from './binding.mjs';
import {
  buildsByUse,
  cacheFolder,
  findTensorflow,
  hasGpu,
  noticeFile,
  readJson,
  tensorflowFolder,
} from '../../main/installation/locations.mjs';
import { tensorflow } from '../../main/installation/pinned.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { findPython } from './python.mjs';
import { SetupProblem } from './report.mjs';
import { checkPlatform, damagedFiles, installRuntime, runtimeReady } from './runtime.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/locations.mjs').Build} Build */

/** After a failed download the next starts do not try again for so long. `npm run setup` always does. */
const retryAfter = 60 * 60 * 1000;

const lockFile = () => join(cacheFolder(), 'setup.lock');

/** @param {unknown} error @returns {SetupProblem} */
function asProblem(error) {
  if (error instanceof SetupProblem) return error;
  const { message, path, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return code !== undefined && path?.startsWith(cacheFolder())
    ? new SetupProblem(`The cache folder cannot be used (${message})`, 'set XDG_CACHE_HOME to a folder of yours')
    : new SetupProblem(`TensorFlow could not be set up (${message})`, 'npm run setup', { passing: true });
}

/**
 * @param {string} root the checkout
 * @param {Build} build
 */
const isReady = (root, build) =>
  runtimeReady(build) && [bindingReady, largeBlocksReady, collectivesReady].every((ready) => ready(root, build));

/**
 * @param {string} root the checkout
 * @param {Build} build
 * @param {Report} report
 */
async function install(root, build, report) {
  checkPlatform(build);
  const needsRuntime = !runtimeReady(build);
  // Both before the large download: what is missing is said at once.
  findCompiler();
  const python = needsRuntime ? await findPython() : null;
  await withLock(lockFile(), report.say, async () => {
    if (!runtimeReady(build)) await installRuntime(python ?? (await findPython()), build, report);
    if (!bindingReady(root, build)) await buildBinding(root, build, report);
    if (!largeBlocksReady(root, build)) await buildLargeBlocks(root, build);
    if (!collectivesReady(root, build)) await buildCollectives(root, build);
  });
}

/**
 * @param {Build} build
 * @param {Report} report
 */
async function verify(build, report) {
  if (!runtimeReady(build)) return;
  report.say(`Reading every file of ${tensorflow[build].title} again.`);
  const damaged = await damagedFiles(build);
  if (damaged.length === 0) {
    report.say('All as it was downloaded.');
    return;
  }
  report.say(`Damaged: ${damaged.slice(0, 5).join(', ')}. It is fetched again.`);
  await withLock(lockFile(), report.say, () =>
    Promise.resolve(rmSync(tensorflowFolder(build), { recursive: true, force: true })),
  );
}

/**
 * @param {string} root the checkout
 * @param {Build} build
 * @param {Report} report
 * @returns {Promise<SetupProblem | null>} null when it is there now
 */
const attempt = (root, build, report) => install(root, build, report).then(() => null, asProblem);

/** @param {string} notice @param {boolean} passing */
function rememberNotice(notice, passing) {
  try {
    mkdirSync(cacheFolder(), { recursive: true });
    writeFileSync(noticeFile(), JSON.stringify({ notice, passing, at: Date.now() }));
  } catch {
    // the line is shown in any case
  }
}

/**
 * Where a GPU is found its build is set up, and the one for the processor where that fails.
 * @param {string} root the checkout
 * @param {Report} report
 * @param {{ strict: boolean, required?: boolean, force?: boolean, verify?: boolean, gpu?: boolean }} options strict: a
 *   missing TensorFlow is an error; required: even where it is switched off; force: try again now; verify: read every file
 *   again; gpu: the build for NVIDIA GPUs, whether one is found or not
 * @returns {Promise<boolean>} whether TensorFlow is there
 * @throws {SetupProblem} when strict
 */
export async function ensureTensorflow(root, report, options) {
  if (process.env['VERISIM_TENSORFLOW']) {
    const found = findTensorflow();
    if (found.bindingPath !== null) return true;
    const off = process.env['VERISIM_TENSORFLOW'] === 'none';
    if (options.required || (options.strict && !off)) throw new SetupProblem(found.notice, 'unset VERISIM_TENSORFLOW');
    if (options.force) report.say(found.notice);
    return false;
  }
  const builds = options.gpu
    ? /** @type {const} */ (['gpu'])
    : hasGpu()
      ? buildsByUse()
      : /** @type {const} */ (['cpu']);
  if (options.verify) for (const build of buildsByUse()) await verify(build, report);
  if (builds[0] && isReady(root, builds[0])) return true;

  const last = readJson(noticeFile());
  const justTried = last?.['passing'] === true && Date.now() - Number(last['at']) < retryAfter;
  if (justTried && !options.force && !options.strict) return builds.some((build) => isReady(root, build));
  const sayOnce = (/** @type {string} */ notice) => {
    // The program says the line itself; here it is said when it is new or was asked for.
    if (options.force || last?.['notice'] !== notice) report.say(notice);
  };
  for (const build of builds) {
    const problem = isReady(root, build) ? null : await attempt(root, build, report);
    if (problem === null) {
      if (build === builds[0]) rmSync(noticeFile(), { force: true });
      return true;
    }
    if (options.gpu) throw problem;
    if (build === 'gpu') {
      const notice = `The GPU is not used: ${problem.line}`;
      rememberNotice(notice, true);
      sayOnce(notice);
      continue;
    }
    const notice =
      `${problem.message}: training runs without TensorFlow, in plain JavaScript, slowly. ` +
      `To fix it: ${problem.fix}`;
    rememberNotice(notice, problem.passing);
    if (options.strict) throw problem;
    sayOnce(notice);
  }
  return false;
}
