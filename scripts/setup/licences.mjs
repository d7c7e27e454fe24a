// Lists the packages shipped with the app and their licences: from package-lock.json (without those only for
// development) and from the packages themselves.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, version: string, licence: string, text: string | null }} Licence */

/** For development, and yet a part of it is in the page. */
const builtIn = new Set(['node_modules/@iconify-json/lucide']);

/** For one platform each, and loaded there. */
const native = /^node_modules\/@node-llama-cpp\//;

/** Licences of packages that do not state them, from their repositories. */
const otherwiseStated = /** @type {Readonly<Record<string, string>>} */ ({ 'vaul-vue': 'MIT' });

/**
 * Recognizes shipped packages; not shipped are those for development, programs for one platform (they build), and empty
 * stubs.
 * @param {string} path
 * @param {{ dev?: boolean, os?: unknown, cpu?: unknown, name?: string }} entry of package-lock.json
 */
const isShipped = (path, { dev, os, cpu, name }) =>
  path !== '' && (!dev || builtIn.has(path)) && ((!os && !cpu) || native.test(path)) && name !== 'empty-npm-package';

/**
 * @param {string} root the checkout
 * @returns {Licence[]} sorted by name
 */
export function licences(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  /** @type {Map<string, Licence>} */
  const found = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const folder = join(root, path);
    if (!isShipped(path, entry) || !existsSync(join(folder, 'package.json'))) continue;
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const stated = about.license ?? about.licenses?.[0];
    const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$|-)/i.test(name));
    const text = file === undefined ? null : readFileSync(join(folder, file), 'utf8');
    const licence = typeof stated === 'string' ? stated : (stated?.type ?? otherwiseStated[about.name] ?? '');
    found.set(`${about.name} ${about.version}`, { name: about.name, version: about.version, licence, text });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** @param {readonly Licence[]} all */
export const licencesText = (all) =>
  [
    'The parts that Verisim is built with, and the licence of each.',
    ...all.map(
      ({ name, version, licence, text }) =>
        `\n${'='.repeat(80)}\n${name} ${version}: ${licence}\n\n${text?.trim() ?? ''}`,
    ),
    '',
  ].join('\n');
