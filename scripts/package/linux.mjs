// Makes deb and rpm from electron-builder's folder with electron-installer-debian and -redhat, which need only dpkg-deb and rpmbuild.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem, installCommand } from '../setup/report.mjs';
import { findProgram } from '../setup/run.mjs';

/** @typedef {import('../setup/report.mjs').Report} Report */

const sizes = [16, 24, 32, 48, 64, 128, 256, 512];

/** The packages each kind needs besides those that the installers know, by the distribution's names. */
const more = {
  deb: { depends: ['libasound2 | libasound2t64', 'libgbm1', 'libdrm2', 'libxkbcommon0', 'libstdc++6'] },
  rpm: { requires: ['alsa-lib', 'mesa-libgbm', 'libdrm', 'libxkbcommon'] },
};

/**
 * Writes the installer's template for rpmbuild with Zstandard instead of xz (a minute instead of many), and without the steps that
 * strip and compress the files again.
 * @param {string} root the checkout
 */
function fastSpec(root) {
  const template = readFileSync(join(root, 'node_modules/electron-installer-redhat/resources/spec.ejs'), 'utf8');
  const changed = template.replace(
    /^.*_binary_payload.*$/m,
    '%define _binary_payload w5.zstdio\n%global __os_install_post %{nil}',
  );
  writeFileSync(join(root, 'dist/staged/rpm.spec'), changed);
  return join(root, 'dist/staged/rpm.spec');
}

/**
 * @param {'deb' | 'rpm'} kind
 * @param {string} root the checkout
 * @param {string} src the app's folder
 * @param {string} dest the folder for the package
 * @param {Report} report
 * @throws {SetupProblem} if the system's tool is missing
 */
export async function makeLinuxPackage(kind, root, src, dest, report) {
  const tool = kind === 'deb' ? 'dpkg-deb' : 'rpmbuild';
  if (findProgram([tool]) === null)
    throw new SetupProblem(`${tool} is missing`, installCommand(kind === 'deb' ? 'dpkg' : 'rpm'));
  report.say(`Making the ${kind} package.`);
  // The installers take this file for the package's copyright.
  copyFileSync(join(root, 'LICENSE'), join(src, 'LICENSE'));
  // electron-updater reads from this file how the app was installed.
  writeFileSync(join(src, 'resources/package-type'), kind);
  const script = (/** @type {string} */ name) => join(root, 'resources/linux', `${name}.sh`);
  const scripts = [script('after-install'), script('after-remove')];
  const icon = Object.fromEntries(
    sizes.map((size) => [`${String(size)}x${String(size)}`, join(root, `resources/icons/${String(size)}.png`)]),
  );
  const { default: make } = await import(kind === 'deb' ? 'electron-installer-debian' : 'electron-installer-redhat');
  await make({
    src,
    dest,
    arch: kind === 'deb' ? 'amd64' : 'x86_64',
    ...more[kind],
    name: 'verisim',
    bin: 'verisim',
    genericName: 'Language model trainer',
    description: 'Trains a small GPT on your own text',
    productDescription:
      'Verisim trains a small GPT on your own texts, then improves it in cycles against a reward model that it trains itself. The package contains everything it needs: no Python, no compiler and no network.',
    categories: ['Science', 'ArtificialIntelligence'],
    mimeType: ['application/x-verisim-project'],
    icon: { ...icon, scalable: join(root, 'resources/icon.svg') },
    ...(kind === 'deb'
      ? { section: 'science', compression: 'zstd', scripts: { postinst: scripts[0], postrm: scripts[1] } }
      : { specTemplate: fastSpec(root), scripts: { post: scripts[0], postun: scripts[1] } }),
  });
}
