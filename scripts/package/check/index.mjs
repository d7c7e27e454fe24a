// `npm run package -- --check`: each package is installed in a clean root, started with the network cut as an ordinary user with
// the sandbox on, trained with by a click in the real window, closed and removed; then what was changed must be refused.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFuses } from './fuses.mjs';
import { readArchive } from './checklist.mjs';
import { cleanRoot } from './clean-root.mjs';
import { tryPackage } from './try-package.mjs';
import { tryTampering } from './tampering.mjs';

/** @typedef {import('../../setup/report.mjs').Report} Report */
/** @typedef {{ name: string, passed: boolean, detail: string }} Finding */

/**
 * @param {string} root the checkout
 * @param {readonly string[]} kinds those to try; none: every one that is there
 * @param {Report} report
 * @returns {Promise<number>} an exit code
 */
export async function checkPackages(root, kinds, report) {
  const output = join(root, 'dist/packages');
  const endings = { AppImage: '.AppImage', deb: '.deb', rpm: '.rpm', 'tar.gz': '.tar.gz' };
  const files = existsSync(output) ? readdirSync(output) : [];
  /** @type {Finding[]} */
  const findings = [];
  const add = (/** @type {Finding} */ finding) => {
    findings.push(finding);
    report.say(
      `  ${finding.passed ? 'ok    ' : 'FAILED'} ${finding.name}${finding.detail ? `: ${finding.detail}` : ''}`,
    );
  };
  const folder = join(output, 'linux-unpacked');
  report.say('The program itself');
  for (const finding of readFuses(join(folder, 'verisim'))) add(finding);
  for (const finding of readArchive(root, folder)) add(finding);
  for (const finding of await tryTampering(folder)) add(finding);
  for (const [kind, ending] of Object.entries(endings)) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue;
    const name = files.find((file) => file.endsWith(ending));
    if (!name) continue;
    report.say(`${name}, in a clean Debian`);
    const place = await cleanRoot(report);
    try {
      for await (const finding of tryPackage(kind, join(output, name), place)) add(finding);
    } finally {
      place.remove();
    }
  }
  const failed = findings.filter(({ passed }) => !passed).length;
  report.say(`${String(findings.length - failed)} passed, ${String(failed)} failed`);
  return failed > 0 ? 1 : 0;
}
