// A clean Debian as a folder: made once by debootstrap with what a desktop has and nothing that builds (no npm, no Python, no
// compiler), kept in the cache folder; every trial gets a layer of its own above it, which goes with the trial.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../../main/installation/locations.mjs';
import { SetupProblem } from '../../setup/report.mjs';
import { lastLines, run } from '../../setup/run.mjs';

/** @typedef {import('../../setup/report.mjs').Report} Report */
/**
 * @typedef {object} Place
 * @property {string} root the folder that is `/` for the trial
 * @property {() => void} remove
 */

/** Debian 12. */
export const SUITE = 'bookworm';

/** What any desktop has: the libraries of GTK programs, menus and file types, and here a screen that is not there. */
const packages = [
  ...['ca-certificates', 'libgtk-3-0', 'libnss3', 'libasound2', 'libatk-bridge2.0-0', 'libcups2', 'libdrm2', 'libgbm1'],
  ...['libxkbcommon0', 'xdg-utils', 'shared-mime-info', 'desktop-file-utils', 'hicolor-icon-theme', 'fuse3', 'rpm'],
  ...['xvfb', 'xauth', 'dbus', 'dbus-x11', 'fonts-dejavu-core'],
];

/** Where this system's own packages come from. */
async function mirror() {
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    `Codename: ${SUITE}`,
  ]);
  const [address] = stdout.trim().split('\n');
  if (!address) throw new SetupProblem(`apt names no source of ${SUITE}`, 'apt-get update');
  return address;
}

/**
 * A shell's line as an ordinary user in a clean root, which really is `/` there: in a chroot the kernel makes no user namespaces,
 * and Chromium's sandbox is made of them.
 * @param {string} root
 * @param {string} line
 * @returns {string[]} program and arguments, to be started as root
 */
export const asPerson = (root, line) => [
  ...['unshare', '--mount', 'sh', '-c'],
  'cd "$0" && pivot_root . .before && umount -l /.before && cd /home/person && exec setpriv --reuid=person --regid=person --init-groups sh -c "$1"',
  ...[root, line],
];

/** @param {Report} report */
async function base(report) {
  const folder = join(cacheFolder(), `check-root-${SUITE}`);
  if (existsSync(folder)) return folder;
  if (process.getuid?.() !== 0)
    throw new SetupProblem('A clean root is made as root', 'sudo npm run package -- --check');
  report.say('Making a clean Debian (debootstrap, some minutes, once).');
  const fresh = `${folder}.making`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const args = ['--variant=minbase', `--include=${packages.join(',')}`, SUITE, fresh, await mirror()];
  const { code, stdout, stderr } = await run('debootstrap', args);
  if (code !== 0)
    throw new SetupProblem(
      `debootstrap failed (${lastLines(`${stdout}\n${stderr}`, 3)})`,
      'npm run package -- --check',
    );
  spawnSync('chroot', [fresh, 'useradd', '--create-home', 'person']);
  rmSync(join(fresh, 'var/cache/apt'), { recursive: true, force: true });
  renameSync(fresh, folder);
  return folder;
}

/**
 * @param {Report} report
 * @returns {Promise<Place>}
 * @throws {SetupProblem}
 */
export async function cleanRoot(report) {
  const lower = await base(report);
  const top = mkdtempSync(join(tmpdir(), 'verisim-check-'));
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(top, name));
  const root = join(top, 'root');
  const must = (/** @type {string} */ command, /** @type {string[]} */ ...args) => {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  };
  const layers = `lowerdir=${lower},upperdir=${join(top, 'upper')},workdir=${join(top, 'work')}`;
  must('mount', '-t', 'overlay', 'overlay', '-o', layers, root);
  must('mount', '-t', 'proc', 'proc', join(root, 'proc'));
  must('mount', '-t', 'tmpfs', 'tmpfs', join(root, 'dev'), '-o', 'mode=755');
  for (const [name, minor] of Object.entries({
    null: '3',
    zero: '5',
    full: '7',
    random: '8',
    urandom: '9',
    tty: '0',
  })) {
    must('mknod', '-m', '666', join(root, 'dev', name), 'c', name === 'tty' ? '5' : '1', minor);
  }
  mkdirSync(join(root, '.before'));
  // As Debian's installer leaves it.
  if (!existsSync(join(root, 'etc/mtab'))) symlinkSync('../proc/self/mounts', join(root, 'etc/mtab'));
  must('mknod', '-m', '666', join(root, 'dev/fuse'), 'c', '10', '229');
  mkdirSync(join(root, 'dev/shm'));
  must('mount', '-t', 'tmpfs', 'tmpfs', join(root, 'dev/shm'), '-o', 'mode=1777');
  return {
    root,
    remove() {
      for (const name of ['dev/shm', 'dev', 'proc', '']) spawnSync('umount', ['-l', join(root, name)]);
      rmSync(top, { recursive: true, force: true });
    },
  };
}
