// The programs of the system that make packages, and which of Debian's packages has each. As root with apt the missing ones are
// installed; elsewhere they are named.
import { existsSync } from 'node:fs';
import { SetupProblem, installCommand } from '../setup/report.mjs';
import { findProgram, lastLines, run } from '../setup/run.mjs';

/** @typedef {import('../setup/report.mjs').Report} Report */
/** @typedef {'stage' | 'AppImage' | 'deb' | 'rpm' | 'tar.gz' | 'check'} Work */

/** The launcher of an AppImage is linked with static libraries. */
const libraries = {
  'libsquashfuse-dev': '/usr/include/squashfuse/ll.h',
  'libfuse3-dev': '/usr/include/fuse3/fuse_lowlevel.h',
  'zlib1g-dev': '/usr/include/zlib.h',
  'libzstd-dev': '/usr/include/zstd.h',
  'libc6-dev': '/usr/include/stdlib.h',
};

/** @type {Readonly<Record<Work, Readonly<Record<string, string>>>>} Debian's package by program, or by file */
const needed = {
  stage: { strip: 'binutils' },
  AppImage: {
    mksquashfs: 'squashfs-tools',
    gcc: 'gcc',
    ...Object.fromEntries(Object.entries(libraries).map(([name, file]) => [file, name])),
  },
  deb: { 'dpkg-deb': 'dpkg', zstd: 'zstd' },
  rpm: { rpmbuild: 'rpm' },
  'tar.gz': { tar: 'tar', gzip: 'gzip' },
  check: {
    debootstrap: 'debootstrap',
    unshare: 'util-linux',
    xauth: 'xauth',
    Xvfb: 'xvfb',
    rpm2cpio: 'rpm2cpio',
    cpio: 'cpio',
    'desktop-file-validate': 'desktop-file-utils',
  },
};

const isThere = (/** @type {string} */ name) =>
  name.startsWith('/') ? existsSync(name) : findProgram([name]) !== null;

/**
 * @param {readonly Work[]} work
 * @returns {string[]} Debian's packages that are missing
 */
const missingTools = (work) => [
  ...new Set(
    work.flatMap((kind) => Object.entries(needed[kind]).flatMap(([name, debian]) => (isThere(name) ? [] : [debian]))),
  ),
];

/**
 * @param {readonly Work[]} work
 * @param {Report} report
 * @throws {SetupProblem} where they are missing and cannot be installed
 */
export async function ensureTools(work, report) {
  const missing = missingTools(work);
  if (missing.length === 0) return;
  const problem = new SetupProblem(`Programs are missing (${missing.join(', ')})`, installCommand(missing.join(' ')));
  const apt = process.getuid?.() === 0 ? findProgram(['apt-get']) : null;
  if (!apt) throw problem;
  report.say(`Installing ${missing.join(', ')} with apt-get.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run(apt, ['update'], { env });
  const { code, stderr } = await run(apt, ['install', '-y', '--no-install-recommends', ...missing], { env });
  if (code !== 0 || missingTools(work).length > 0) {
    report.say(lastLines(stderr, 5));
    throw problem;
  }
}
