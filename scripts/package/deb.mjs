// Packages for Debian and Ubuntu, made by dpkg-deb, the app's and its runtime's: files, what they need, and the steps after
// installing and removing.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  afterInstall,
  afterRemove,
  fileNames,
  program,
  runtimeNames,
  runtimePackage,
  runtimeSummary,
} from './about.mjs';
import { readRuntime } from './runtime.mjs';
import { everythingIn, layRuntime, layTree, must, settle } from './tree.mjs';

/** @typedef {import('./about.mjs').About} About */

/** What Electron is linked with or opens, by Debian's names; after the bar as Ubuntu 24.04 calls them. */
const depends = [
  'libc6 (>= 2.28)',
  'libstdc++6',
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libasound2 | libasound2t64',
  'libatk-bridge2.0-0 | libatk-bridge2.0-0t64',
  'libcups2 | libcups2t64',
  'libdrm2',
  'libgbm1',
  'libxkbcommon0',
  'xdg-utils',
];

/**
 * @param {string} tree what it installs
 * @param {string} control the file of that name, up to how much it installs
 * @param {Readonly<Record<string, string>>} scripts
 * @param {string} file what it becomes
 * @param {{ time: number, level: number }} about
 */
function build(tree, control, scripts, file, about) {
  const files = everythingIn(tree).filter(({ kind }) => kind === 'file');
  const kilobytes = Math.ceil(files.reduce((sum, { path }) => sum + statSync(path).size, 0) / 1024);
  const place = join(tree, 'DEBIAN');
  mkdirSync(place);
  const write = (/** @type {string} */ name, /** @type {string} */ text, mode = 0o644) => {
    writeFileSync(join(place, name), text);
    chmodSync(join(place, name), mode);
  };
  write('control', control.replace('\nDescription:', `\nInstalled-Size: ${String(kilobytes)}\nDescription:`));
  for (const [name, text] of Object.entries(scripts)) write(name, text, 0o755);
  const sums = files.map(
    ({ path }) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(tree, path)}\n`,
  );
  write('md5sums', sums.join(''));
  settle(place, about.time);
  // Threads would not change the bytes; their number does, for xz. zstd: Debian 12, Ubuntu 22.04 and newer read it.
  must('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${String(about.level)}`, '--build', tree, file], about);
  rmSync(tree, { recursive: true });
}

/**
 * @param {About} about
 * @param {string} name
 * @param {string} version
 */
const head = ({ maintainer, homepage }, name, version) => `Package: ${name}
Version: ${version}
Architecture: amd64
Maintainer: ${maintainer}
Section: science
Homepage: ${homepage}
Priority: optional
`;

/**
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string[]} the packages: the app's and its runtime's
 */
export function makeDeb(root, unpacked, work, output, about) {
  const tree = join(work, 'deb');
  const runtime = readRuntime(unpacked);
  const [app, carried] = [join(output, fileNames(about).deb), join(output, runtimeNames(runtime.version).deb)];
  layTree(root, unpacked, tree, about, 'deb');
  const script = (/** @type {string} */ when, /** @type {string} */ body) =>
    `#!/bin/sh\nset -e\n[ "$1" = ${when} ] || exit 0\n${body}`;
  build(
    tree,
    `${head(about, program, about.version)}Depends: ${runtimePackage} (= ${runtime.version}), ${depends.join(', ')}
Recommends: libnotify4, libsecret-1-0
Description: ${about.summary}
 Verisim trains a small GPT on texts of your own, then improves it in cycles
 against a reward model that it trains itself. Everything that it needs is in
 this package and its runtime's: no Python, no compiler and no network.
`,
    { postinst: script('configure', afterInstall), postrm: script('remove', afterRemove) },
    app,
    about,
  );
  layRuntime(root, unpacked, tree, runtime.time);
  build(
    tree,
    `${head(about, runtimePackage, runtime.version)}Depends: libc6 (>= 2.28), libstdc++6
Description: ${runtimeSummary}
 TensorFlow and the sample, apart from the app: an update of the app does not
 bring them again.
`,
    {},
    carried,
    { time: runtime.time, level: about.level },
  );
  return [app, carried];
}
