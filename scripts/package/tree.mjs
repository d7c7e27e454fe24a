// The files of an installed app as they lie in the system: what electron-builder made in /opt, the program on the PATH, menu
// entry, icons, file type. Owners, modes and times are the same whoever builds it, and when.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  apparmorProfile,
  desktopEntry,
  iconSizes,
  installed,
  mimeFile,
  program,
  runtimeFolder,
  runtimePackage,
} from './about.mjs';

/** @typedef {import('./about.mjs').About} About */

/**
 * Every file and folder below, folders after what is in them.
 * @param {string} folder
 * @returns {{ path: string, kind: 'folder' | 'file' | 'link' }[]}
 */
export const everythingIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [...everythingIn(path), { path, kind: /** @type {const} */ ('folder') }];
      return [{ path, kind: entry.isSymbolicLink() ? /** @type {const} */ ('link') : /** @type {const} */ ('file') }];
    });

/**
 * Gives everything below, and the folder itself, the modes that an installed app has, and one time.
 * @param {string} folder
 * @param {number} time seconds since 1970
 */
export function settle(folder, time) {
  const all = [...everythingIn(folder), { path: folder, kind: /** @type {const} */ ('folder') }];
  for (const { path, kind } of all) {
    if (kind !== 'link') {
      const mode = statSync(path).mode;
      const runs = kind === 'folder' || (mode & 0o100) !== 0;
      const wanted = (mode & 0o4000) | (runs ? 0o755 : 0o644);
      if ((mode & 0o7777) !== wanted) chmodSync(path, wanted);
    }
    lutimesSync(path, time, time);
  }
}

/**
 * Copies a folder; its files are linked where the disk allows it, since they are large and not changed.
 * @param {string} from
 * @param {string} to
 * @param {string} [without] a folder that stays behind
 */
export function copyTree(from, to, without) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (source === without) continue;
    if (entry.isDirectory()) copyTree(source, target, without);
    else {
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
    }
  }
}

/**
 * @param {string} root the checkout
 * @param {string} target becomes a `usr`
 * @param {About} about
 * @param {string} command what the menu entry starts
 */
export function layShared(root, target, about, command) {
  /** @param {string} name @param {string} text */
  const write = (name, text) => {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  };
  write(`share/applications/${program}.desktop`, desktopEntry(about, command));
  write(`share/mime/packages/${program}.xml`, mimeFile);
  for (const size of iconSizes) {
    const folder = join(target, `share/icons/hicolor/${String(size)}x${String(size)}/apps`);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(root, `resources/icons/${String(size)}.png`), join(folder, `${program}.png`));
  }
  const scalable = join(target, 'share/icons/hicolor/scalable/apps');
  mkdirSync(scalable, { recursive: true });
  copyFileSync(join(root, 'resources/icon.svg'), join(scalable, `${program}.svg`));
}

/**
 * What deb and rpm install of the app, and which of them it was: that is what an update is looked for as.
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} target empty or absent
 * @param {About} about
 * @param {'deb' | 'rpm'} kind
 */
export function layTree(root, unpacked, target, about, kind) {
  rmSync(target, { recursive: true, force: true });
  copyTree(unpacked, join(target, installed), join(unpacked, runtimeFolder));
  writeFileSync(join(target, installed, 'resources/apparmor-profile'), apparmorProfile);
  writeFileSync(join(target, installed, 'resources/package-kind'), `${kind}\n`);
  layShared(root, join(target, 'usr'), about, program);
  mkdirSync(join(target, 'usr/bin'), { recursive: true });
  symlinkSync(`${installed}/${program}`, join(target, 'usr/bin', program));
  mkdirSync(join(target, 'usr/share/doc', program), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(target, 'usr/share/doc', program, 'copyright'));
  // Chromium's own helper makes the sandbox where the kernel lets nobody make user namespaces. Copied: its mode is its own.
  const helper = join(target, installed, 'chrome-sandbox');
  copyFileSync(helper, `${helper}.own`);
  rmSync(helper);
  copyFileSync(`${helper}.own`, helper);
  rmSync(`${helper}.own`);
  chmodSync(helper, 0o4755);
  settle(target, about.time);
}

/**
 * What deb and rpm install of the runtime.
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} target empty or absent
 * @param {number} time the runtime's
 */
export function layRuntime(root, unpacked, target, time) {
  rmSync(target, { recursive: true, force: true });
  copyTree(join(unpacked, runtimeFolder), join(target, installed, runtimeFolder));
  const notices = join(target, 'usr/share/doc', runtimePackage);
  mkdirSync(notices, { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(notices, 'copyright'));
  settle(target, time);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ time: number, cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @throws with what it said, where it fails
 */
export function must(command, args, { time, cwd, env = {} }) {
  const { status, stderr, stdout, error } = spawnSync(command, args, {
    ...(cwd ? { cwd } : {}),
    env: { ...process.env, ...env, LC_ALL: 'C', TZ: 'UTC', SOURCE_DATE_EPOCH: String(time) },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0)
    throw new Error(`${command} failed: ${error?.message ?? `${stdout}\n${stderr}`.trim().slice(-2000)}`);
  return stdout;
}
