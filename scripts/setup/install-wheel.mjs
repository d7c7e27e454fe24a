// A folder of the cache made from a pinned wheel: fetched, unpacked beside it, finished, and only then given its name, so that
// a folder that has the name is whole.
import { mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './locations.mjs';
import { unpackWheel } from './python.mjs';
import { SetupProblem, megabytes } from './report.mjs';
import { fetchWheel } from './wheel.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./pinned.mjs').Wheel & { diskSpace: number }} LargeWheel */

/**
 * @param {string} folder
 * @param {LargeWheel} wheel
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
 * @param {object} options
 * @param {LargeWheel} options.wheel
 * @param {string} options.folder what it becomes
 * @param {Parameters<typeof unpackWheel>[1]} options.unpacker the script that takes out of it what is needed
 * @param {(fresh: string, files: Awaited<ReturnType<typeof unpackWheel>>) => string | Promise<string>} options.finish makes
 *   what was unpacked into what it is to be. @returns the folder that gets the name: `fresh`, or one in it
 * @param {string} python
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function installWheel({ wheel, folder, unpacker, finish }, python, report) {
  const file = join(cacheFolder(), 'downloads', `${wheel.name}-${wheel.version}.whl`);
  const downloads = dirname(file);
  const fresh = `${folder}.unpacking`;
  mkdirSync(downloads, { recursive: true });
  rmSync(fresh, { recursive: true, force: true }); // left by an interrupted set-up
  try {
    const { bavail, bsize } = statfsSync(downloads);
    if (bavail * bsize < wheel.diskSpace) throw diskFull(downloads, wheel, bavail * bsize);
    report.say(`Downloading ${wheel.title} (${megabytes(wheel.size)} MB, once; kept in ${cacheFolder()}).`);
    await fetchWheel(python, wheel, file, report);
    const files = await unpackWheel(python, unpacker, file, fresh, (done, total) => {
      report.progress('Unpacking', done, total);
    });
    const whole = await finish(fresh, files);
    rmSync(folder, { recursive: true, force: true });
    renameSync(whole, folder);
    rmSync(file, { force: true });
  } catch (error) {
    if (/ENOSPC|No space left/.test(String(error))) throw diskFull(downloads, wheel);
    throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
