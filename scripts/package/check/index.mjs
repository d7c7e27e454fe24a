// `npm run package -- --check`: each package is installed in a clean root, started with the network cut as an ordinary user with
// the sandbox on, trained with by a click in the real window, closed and removed; then what was changed must be refused.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { aboutOf, fileNames, runtimeNames } from '../about.mjs';
import { readRuntime } from '../runtime.mjs';
import { readFuses } from './fuses.mjs';
import { readArchive } from './checklist.mjs';
import { cleanRoot } from './clean-root.mjs';
import { tryPackage } from './try-package.mjs';
import { tryTampering } from './tampering.mjs';

/** @typedef {import('../../setup/report.mjs').Report} Report */
/** @typedef {{ name: string, passed: boolean, detail: string }} Finding */

/**
 * What can be seen without installing: fuses, what is in the archive, and that what was changed is refused.
 * @param {string} root the checkout
 * @param {string} folder electron-builder's
 * @returns {AsyncGenerator<Finding>}
 */
async function* tryProgram(root, folder) {
  if (!existsSync(join(folder, 'verisim'))) {
    yield { name: 'the app is there', passed: false, detail: `${folder} is not: npm run package makes it` };
    return;
  }
  yield* readFuses(join(folder, 'verisim'));
  yield* readArchive(root, folder);
  yield* await tryTampering(folder);
}

/**
 * What is installed with a package of this kind.
 * @param {import('../about.mjs').Kind} kind
 * @param {string} unpacked the app's folder
 */
const runtimesOf = (kind, unpacked) =>
  (kind === 'deb' || kind === 'rpm') && existsSync(unpacked) ? [runtimeNames(readRuntime(unpacked).version)[kind]] : [];

/**
 * @param {string} root the checkout
 * @param {readonly import('../about.mjs').Kind[]} kinds those to try; one that was not made is a failure
 * @param {Report} report
 * @returns {Promise<number>} an exit code
 */
export async function checkPackages(root, kinds, report) {
  const output = join(root, 'dist/packages');
  const names = fileNames(aboutOf(root, 0));
  /** @type {Finding[]} */
  const findings = [];
  const add = (/** @type {Finding} */ finding) => {
    findings.push(finding);
    report.say(
      `  ${finding.passed ? 'ok    ' : 'FAILED'} ${finding.name}${finding.detail ? `: ${finding.detail}` : ''}`,
    );
  };
  report.say('The program itself');
  for await (const finding of tryProgram(root, join(output, 'linux-unpacked'))) add(finding);
  for (const kind of kinds) {
    const name = names[kind];
    report.say(`${name}, in a clean Debian`);
    const files = [name, ...runtimesOf(kind, join(output, 'linux-unpacked'))].map((file) => join(output, file));
    const missing = files.find((file) => !existsSync(file));
    if (missing) {
      add({ name: 'is there', passed: false, detail: `npm run package -- ${kind} makes ${basename(missing)}` });
      continue;
    }
    const place = await cleanRoot(report);
    try {
      for await (const finding of tryPackage(kind, files, place)) add(finding);
    } finally {
      place.remove();
    }
  }
  const failed = findings.filter(({ passed }) => !passed).length;
  report.say(`${String(findings.length - failed)} passed, ${String(failed)} failed`);
  return failed > 0 ? 1 : 0;
}
