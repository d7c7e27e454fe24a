// Remembers failed downloads, so that the next starts do not repeat them at once; `npm run setup` always tries again.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, readJson } from '../../main/installation/locations.mjs';

/**
 * @param {string} name of the file in the cache folder
 * @param {number} [hours] that starts wait before they try again
 */
export function attemptsAt(name, hours = 1) {
  const file = () => join(cacheFolder(), name);
  return {
    /** The notice of the last failure. */
    lastNotice: () => readJson(file())?.['notice'],
    failedRecently() {
      const last = readJson(file());
      return last?.['passing'] === true && Date.now() - Number(last['at']) < hours * 3_600_000;
    },
    /** @param {string} notice @param {boolean} passing whether trying again later may help */
    remember(notice, passing) {
      try {
        mkdirSync(cacheFolder(), { recursive: true });
        writeFileSync(file(), JSON.stringify({ notice, passing, at: Date.now() }));
      } catch {
        // The notice is shown in any case.
      }
    },
    forget: () => rmSync(file(), { force: true }),
  };
}
