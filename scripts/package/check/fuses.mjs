// Electron's fuses, read back out of the packaged program: behind a sentence that stands in every Electron come a version, a
// count, and one letter a switch.
import { readFileSync } from 'node:fs';

/** @typedef {import('./index.mjs').Finding} Finding */

const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** In Electron's order, as they must be. */
const wanted = /** @type {const} */ ([
  ['RunAsNode', '0'],
  ['EnableCookieEncryption', '1'],
  ['EnableNodeOptionsEnvironmentVariable', '0'],
  ['EnableNodeCliInspectArguments', '0'],
  ['EnableEmbeddedAsarIntegrityValidation', '1'],
  ['OnlyLoadAppFromAsar', '1'],
  ['LoadBrowserProcessSpecificV8Snapshot', '0'],
  ['GrantFileProtocolExtraPrivileges', '0'],
]);

/**
 * @param {string} program
 * @returns {Finding[]} one for each switch that this Electron has
 */
export function readFuses(program) {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(SENTINEL);
  if (at < 0) return [{ name: 'fuses', passed: false, detail: 'the program has none' }];
  const count = bytes[at + SENTINEL.length + 1] ?? 0;
  const letters = bytes.toString('latin1', at + SENTINEL.length + 2, at + SENTINEL.length + 2 + count);
  return wanted.slice(0, count).map(([name, letter], index) => ({
    name: `fuse ${name}`,
    passed: letters[index] === letter,
    detail: letters[index] === '1' ? 'on' : 'off',
  }));
}
