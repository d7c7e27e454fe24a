// The app as a folder in a tar.gz, for where there is no package: unpacked anywhere, started by its program.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from './about.mjs';
import { copyTree, must, settle } from './tree.mjs';

/** @typedef {import('./about.mjs').About} About */

/**
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string} the archive
 */
export function makeArchive(unpacked, work, output, about) {
  const archive = fileNames(about)['tar.gz'];
  const name = archive.slice(0, -'.tar.gz'.length);
  const top = join(work, 'tar');
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  copyTree(unpacked, join(top, name));
  settle(top, about.time);
  const file = join(output, archive);
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--format=gnu', '--sort=name'];
  must(
    'tar',
    [...owner, `--use-compress-program=gzip -n -${String(Math.min(about.level, 6))}`, '-cf', file, '-C', top, name],
    about,
  );
  rmSync(top, { recursive: true });
  return file;
}
