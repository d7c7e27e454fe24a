// One package in its clean root, step by step: installed, started, trained with, closed, removed. The root has no network; what
// clicks in the window (drive.mjs) runs in the same cut-off network and speaks with the page alone.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed as installedIn, program, runtimeFolder, runtimePackage } from '../about.mjs';
import { budgets, withinBytes } from './budgets.mjs';
import { everythingIn } from '../tree.mjs';
import { everyPath, leftBehind } from './traces.mjs';

/** @typedef {import('./index.mjs').Finding} Finding */

/** @param {string} folder @returns {number} bytes of all files below, links not followed */
const bytesIn = (folder) =>
  readdirSync(folder).reduce((sum, name) => {
    const path = join(folder, name);
    const about = lstatSync(path);
    return sum + (about.isDirectory() ? bytesIn(path) : about.isFile() ? about.size : 0);
  }, 0);

const inTmp = (/** @type {string[]} */ files) => files.map((file) => `/tmp/${file}`).join(' ');

/** @type {Readonly<Record<string, { install: (...files: string[]) => string, start: (file: string) => string, remove: (file: string) => string, lies: (file: string) => string }>>} */
const ways = {
  deb: {
    install: (...files) => `dpkg -i ${inTmp(files)}`,
    start: () => program,
    remove: () => `dpkg -r ${program} ${runtimePackage}`,
    lies: () => installedIn,
  },
  rpm: {
    // Debian's rpm knows nothing of what dpkg has installed.
    install: (...files) => `rpm -U --replacepkgs --nodeps ${inTmp(files)}`,
    start: () => program,
    remove: () => `rpm -e ${program} ${runtimePackage}`,
    lies: () => installedIn,
  },
  AppImage: {
    install: (file) => `cp /tmp/${file} /home/person/ && chmod 755 /home/person/${file}`,
    start: (file) => `/home/person/${file}`,
    remove: (file) => `rm /home/person/${file}`,
    lies: (file) => `/home/person/${file}`,
  },
  'tar.gz': {
    install: (file) => `tar -xzf /tmp/${file} -C /home/person`,
    start: (file) => `/home/person/${file.replace('.tar.gz', '')}/verisim`,
    remove: (file) => `rm -r /home/person/${file.replace('.tar.gz', '')}`,
    lies: (file) => `/home/person/${file.replace('.tar.gz', '')}`,
  },
};

/**
 * @param {string} root
 * @param {string} command
 * @param {'train' | 'open'} mode
 * @returns {Finding[]} what drive.mjs saw, and whether it came to its end
 */
function drive(root, command, mode) {
  const driver = fileURLToPath(new URL('drive.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync('unshare', ['--net', process.execPath, driver, root, command, mode], {
    encoding: 'utf8',
    timeout: 900_000,
  });
  const seen = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const passed = stdout.includes('"closes at the end"');
  return [...seen, { name: 'was tried to the end', passed, detail: passed ? '' : stderr.slice(-600) }];
}

/**
 * The app's package is installed once more, as an update of it is; what the runtime's brought must not have been touched, so that
 * it is not read again either.
 * @param {string} root
 * @param {() => number | null} update
 * @returns {Finding}
 */
function tryUpdate(root, update) {
  const folder = join(root, installedIn, runtimeFolder);
  const look = () => everythingIn(folder).map(({ path }) => `${path} ${String(lstatSync(path).ctimeMs)}`);
  const before = look();
  const code = update();
  const touched = look().filter((line, index) => line !== before[index]);
  const passed = code === 0 && before.length > 0 && touched.length === 0;
  return { name: 'is updated without its runtime', passed, detail: touched[0] ?? '' };
}

/**
 * @param {string} kind
 * @param {readonly string[]} files the package, and its runtime's where it has one
 * @param {import('./clean-root.mjs').Place} place
 * @returns {AsyncGenerator<Finding>}
 */
export async function* tryPackage(kind, files, { root }) {
  const way = ways[kind];
  if (!way) return;
  const names = files.map((file) => basename(file));
  const [name = '', ...others] = names;
  /** @param {string} command */
  const inside = (command) =>
    spawnSync('unshare', ['--net', 'chroot', root, 'sh', '-c', command], { encoding: 'utf8', timeout: 600_000 });
  const before = everyPath(root);
  /** @param {readonly string[]} chosen */
  const install = (chosen) => {
    for (const file of chosen) copyFileSync(file, join(root, 'tmp', basename(file)));
    const result = inside(way.install(...chosen.map((file) => basename(file))));
    for (const file of chosen) rmSync(join(root, 'tmp', basename(file)));
    return result;
  };
  const installed = install(files);
  yield {
    name: 'installs',
    passed: installed.status === 0,
    detail: installed.status === 0 ? '' : installed.stderr.slice(-300),
  };
  if (installed.status !== 0) return;
  const place = join(root, way.lies(name));
  if (kind === 'AppImage') yield withinBytes('is small enough', lstatSync(place).size, budgets.AppImage);
  else yield withinBytes('takes little enough of the disk', bytesIn(place), budgets.installed);
  if (kind === 'deb' || kind === 'rpm') {
    const entry = join(root, 'usr/share/applications/verisim.desktop');
    const { status, stdout } = spawnSync('desktop-file-validate', [entry], { encoding: 'utf8' });
    yield { name: 'has a menu entry', passed: status === 0, detail: stdout };
    const kindOf = inside(
      'touch /tmp/x.verisim; XDG_DATA_DIRS=/usr/share xdg-mime query filetype /tmp/x.verisim; rm /tmp/x.verisim',
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
  yield* drive(root, way.start(name), 'train');
  if (others.length > 0) yield tryUpdate(root, () => install(files.slice(0, 1)).status);
  if (kind === 'AppImage') {
    rmSync(join(root, 'dev/fuse'));
    for (const finding of drive(root, way.start(name), 'open'))
      yield { ...finding, name: `without FUSE: ${finding.name}` };
  }
  const removed = inside(way.remove(name));
  const left = leftBehind(before, everyPath(root));
  yield {
    name: 'is removed, nothing of it left',
    passed: removed.status === 0 && left.length === 0,
    detail: `${removed.status === 0 ? '' : removed.stderr.slice(-300)} ${left.slice(0, 8).join(' ')}`.trim(),
  };
  if (kind === 'deb' || kind === 'rpm') {
    const words = `${removed.stdout}${removed.stderr}`;
    yield { name: 'says where projects are', passed: words.includes('Projects stay where they are'), detail: '' };
  }
  const projects = join(root, 'home/person/projects');
  yield { name: 'the project stays', passed: existsSync(projects) && readdirSync(projects).length > 0, detail: '' };
}
