// One package in its clean root, step by step: installed, started, trained with, closed, removed. The root has no network; what
// clicks in the window (drive.mjs) runs in the same cut-off network and speaks with the page alone.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./index.mjs').Finding} Finding */

/** The person's own folders afterwards, and what dpkg and Debian's rpm write down for themselves; all else must be as it was. */
const kept = /^\/(home\/person|root\/\.rpmdb|tmp|run|dev|proc|var\/(log|lib\/(dpkg|rpm)|cache))(\/|$)/;

/**
 * @param {string} root
 * @param {string} [folder]
 * @returns {string[]} every path that is not the person's
 */
const system = (root, folder = '/') =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (kept.test(path)) return [];
    return lstatSync(join(root, path)).isDirectory() ? [path, ...system(root, path)] : [path];
  });

/** @type {Readonly<Record<string, { install: (file: string) => string, start: (file: string) => string, remove: (file: string) => string }>>} */
const ways = {
  deb: { install: (file) => `dpkg -i /tmp/${file}`, start: () => 'verisim', remove: () => 'dpkg -r verisim' },
  // Debian's rpm knows nothing of what dpkg has installed.
  rpm: { install: (file) => `rpm -i --nodeps /tmp/${file}`, start: () => 'verisim', remove: () => 'rpm -e verisim' },
  AppImage: {
    install: (file) => `cp /tmp/${file} /home/person/ && chmod 755 /home/person/${file}`,
    start: (file) => `/home/person/${file}`,
    remove: (file) => `rm /home/person/${file}`,
  },
  'tar.gz': {
    install: (file) => `tar -xzf /tmp/${file} -C /home/person`,
    start: (file) => `/home/person/${file.replace('.tar.gz', '')}/verisim`,
    remove: (file) => `rm -r /home/person/${file.replace('.tar.gz', '')}`,
  },
};

/**
 * @param {string} kind
 * @param {string} file the package
 * @param {import('./clean-root.mjs').Place} place
 * @returns {AsyncGenerator<Finding>}
 */
export async function* tryPackage(kind, file, { root }) {
  const way = ways[kind];
  if (!way) return;
  const name = basename(file);
  /** @param {string} command */
  const inside = (command) =>
    spawnSync('unshare', ['--net', 'chroot', root, 'sh', '-c', command], { encoding: 'utf8', timeout: 600_000 });
  const before = new Set(system(root));
  copyFileSync(file, join(root, 'tmp', name));
  const installed = inside(way.install(name));
  yield {
    name: 'installs',
    passed: installed.status === 0,
    detail: installed.status === 0 ? '' : installed.stderr.slice(-300),
  };
  if (installed.status !== 0) return;
  if (kind === 'deb' || kind === 'rpm') {
    const entry = join(root, 'usr/share/applications/verisim.desktop');
    const { status, stdout } = spawnSync('desktop-file-validate', [entry], { encoding: 'utf8' });
    yield { name: 'has a menu entry', passed: status === 0, detail: stdout };
    const kindOf = inside(
      'touch /tmp/x.verisim; XDG_DATA_DIRS=/usr/share xdg-mime query filetype /tmp/x.verisim',
    ).stdout.trim();
    const mime = 'application/x-verisim-project';
    const known = inside(
      `grep -c '${mime}.*verisim.desktop' /usr/share/applications/mimeinfo.cache; grep -c ':${mime}:\\*.verisim$' /usr/share/mime/globs2`,
    );
    yield {
      name: 'opens project files',
      passed: known.stdout.trim() === '1\n1',
      detail: `${kindOf} ${known.stdout.replace('\n', ' ')}`,
    };
  }
  const driver = fileURLToPath(new URL('drive.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync('unshare', ['--net', process.execPath, driver, root, way.start(name)], {
    encoding: 'utf8',
    timeout: 900_000,
  });
  /** @type {Finding[]} */
  const seen = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  yield* seen;
  yield { name: 'was tried to the end', passed: stdout.includes('"closes"'), detail: stderr.slice(-600) };
  const removed = inside(way.remove(name));
  const left = system(root).filter((path) => !before.has(path) && !/\.(cache|pyc)$|mimeinfo|\/mime\//.test(path));
  yield {
    name: 'is removed, nothing of it left',
    passed: removed.status === 0 && left.length === 0,
    detail: left.slice(0, 5).join(' '),
  };
  if (kind === 'deb' || kind === 'rpm') {
    const words = `${removed.stdout}${removed.stderr}`;
    yield { name: 'says where projects are', passed: words.includes('Projects stay where they are'), detail: '' };
  }
  const projects = join(root, 'home/person/projects');
  yield { name: 'the project stays', passed: existsSync(projects) && readdirSync(projects).length > 0, detail: '' };
}
