// Sees to it that TensorFlow is there: runtime and binding, or one plain line that says why not. The program then runs on
// tfjs's own backend; where that must not happen silently (`strict`: CI and `npm test`) the line is a failure.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bindingReady, buildBinding, findCompiler } from './binding.mjs';
import { cacheFolder, findTensorflow, noticeFile, readJson, tensorflowFolder } from './locations.mjs';
import { withLock } from './lock.mjs';
import { findPython } from './python.mjs';
import { SetupProblem } from './report.mjs';
import { checkPlatform, damagedFiles, installRuntime, runtimeReady } from './runtime.mjs';

/** @typedef {import('./report.mjs').Report} Report */

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
 * @param {Report} report
 */
async function install(root, report) {
  checkPlatform();
  const needsRuntime = !runtimeReady();
  // Both before the large download: what is missing is said at once.
  findCompiler();
  const python = needsRuntime ? await findPython() : null;
  await withLock(lockFile(), report.say, async () => {
    if (!runtimeReady()) await installRuntime(python ?? (await findPython()), report);
    if (!bindingReady(root)) await buildBinding(root, report);
  });
}

/** @param {Report} report */
async function verify(report) {
  if (!runtimeReady()) return;
  report.say('Reading every file of the TensorFlow runtime again.');
  const damaged = await damagedFiles();
  if (damaged.length === 0) {
    report.say('All as it was downloaded.');
    return;
  }
  report.say(`Damaged: ${damaged.slice(0, 5).join(', ')}. It is fetched again.`);
  await withLock(lockFile(), report.say, () =>
    Promise.resolve(rmSync(tensorflowFolder(), { recursive: true, force: true })),
  );
}

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
 * @param {string} root the checkout
 * @param {Report} report
 * @param {{ strict: boolean, required?: boolean, force?: boolean, verify?: boolean }} options strict: a missing TensorFlow is
 *   an error; required: even where it is switched off; force: try again now; verify: read every file again
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
  if (options.verify) await verify(report);
  if (runtimeReady() && bindingReady(root)) return true;

  const last = readJson(noticeFile());
  const justTried = last?.['passing'] === true && Date.now() - Number(last['at']) < retryAfter;
  if (justTried && !options.force && !options.strict) return false;
  try {
    await install(root, report);
    rmSync(noticeFile(), { force: true });
    return true;
  } catch (error) {
    const problem = asProblem(error);
    const notice =
      `${problem.message}: training runs without TensorFlow, in plain JavaScript, slowly. ` +
      `To mend it: ${problem.mend}`;
    rememberNotice(notice, problem.passing);
    if (options.strict) throw problem;
    // The program says this line itself; here it is said when it is new or was asked for.
    if (options.force || last?.['notice'] !== notice) report.say(notice);
    return false;
  }
}
