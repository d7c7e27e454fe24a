// The message catalogues of resources/locales, found above this file wherever it is bundled to.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/* global __filename */

/** @returns {string} */
function localesFolder() {
  // Bundled to CommonJS there is __filename and no import.meta.url.
  let folder = path.dirname(typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url));
  for (; ; folder = path.dirname(folder)) {
    const locales = path.join(folder, 'resources', 'locales');
    if (existsSync(locales)) return locales;
    if (folder === path.dirname(folder)) throw new Error('resources/locales is missing');
  }
}

/** Lists the languages: one for each file. */
export const languageFiles = () =>
  readdirSync(localesFolder())
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'))
    .sort();

/** Reads every catalogue. @returns {Record<string, Record<string, string>>} texts by code, by language */
export function readCatalogues() {
  const folder = localesFolder();
  return Object.fromEntries(
    languageFiles().map((language) => [
      language,
      /** @type {Record<string, string>} */ (JSON.parse(readFileSync(path.join(folder, `${language}.json`), 'utf8'))),
    ]),
  );
}
