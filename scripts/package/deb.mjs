// A package for Debian and Ubuntu, made by dpkg-deb: files, what they need, and the steps after installing and removing.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterInstall, afterRemove, fileNames, program } from './about.mjs';
import { everythingIn, layTree, must, settle } from './tree.mjs';

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
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string} the package
 */
export function makeDeb(root, unpacked, work, output, about) {
  const tree = join(work, 'deb');
  layTree(root, unpacked, tree, about);
  const files = everythingIn(tree).filter(({ kind }) => kind === 'file');
  const kilobytes = Math.ceil(files.reduce((sum, { path }) => sum + statSync(path).size, 0) / 1024);
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  const write = (/** @type {string} */ name, /** @type {string} */ text, mode = 0o644) => {
    writeFileSync(join(control, name), text);
    chmodSync(join(control, name), mode);
  };
  write(
    'control',
    `Package: ${program}
Version: ${about.version}
Architecture: amd64
Maintainer: ${about.maintainer}
Installed-Size: ${String(kilobytes)}
Depends: ${depends.join(', ')}
Recommends: libnotify4, libsecret-1-0
Section: science
Homepage: ${about.homepage}
Priority: optional
Description: ${about.summary}
 Verisim trains a small GPT on texts of your own, then improves it in cycles
 against a reward model that it trains itself. Everything that it needs is in
 this package: no Python, no compiler and no network.
`,
  );
  const script = (/** @type {string} */ when, /** @type {string} */ body) =>
    `#!/bin/sh\nset -e\n[ "$1" = ${when} ] || exit 0\n${body}`;
  write('postinst', script('configure', afterInstall), 0o755);
  write('postrm', script('remove', afterRemove), 0o755);
  const sums = files.map(
    ({ path }) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(tree, path)}\n`,
  );
  write('md5sums', sums.join(''));
  settle(control, about.time);
  const file = join(output, fileNames(about).deb);
  // Threads would not change the bytes; their number does, for xz. zstd: Debian 12, Ubuntu 22.04 and newer read it.
  must('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${String(about.level)}`, '--build', tree, file], about);
  rmSync(tree, { recursive: true });
  return file;
}
