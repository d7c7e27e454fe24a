// Asks the system for what containers often lack or limit: a home folder, and processor time.
import { accessSync, constants, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {string | undefined} */
let home;

/**
 * The user's home. Without one that can be written (no HOME and no entry in the list of users, or Docker's `/` for a number
 * as user) it is a folder of this user's own among the temporary ones.
 */
export const homeFolder = () => (home ??= usableHome() ?? temporaryHome());

function usableHome() {
  try {
    const folder = homedir();
    // A home that is there for reading may hold folders that can be written.
    if (folder !== '/' && existsSync(folder)) return folder;
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return null;
  }
}

function temporaryHome() {
  const own = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `verisim-home-${own}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid } = lstatSync(folder);
  // npm, Python and TensorFlow look for it too.
  return (process.env['HOME'] = lstatSync(folder).isDirectory() && uid === own ? folder : mkdtempSync(`${folder}-`));
}

/**
 * The processor cores that this process may use: a quota of its control groups (versions 2 and 1) can be less than the cores
 * that the system shows. (Node 20's availableParallelism does not read it.)
 * @param {string} [root] of the file system
 */
export function usableCores(root = '/') {
  const quotas = quotaFiles(root).flatMap((file) => {
    const [quota, period] = file
      .map((name) => readFileSync(name, 'utf8').trim())
      .join(' ')
      .split(' ');
    return Number(quota) > 0 && Number(period) > 0 ? [Math.ceil(Number(quota) / Number(period))] : [];
  });
  return Math.max(1, Math.min(availableParallelism(), ...quotas));
}

/** The files with quotas of the process's control groups and of those above them. @param {string} root */
function quotaFiles(root) {
  const groups = existsSync(join(root, 'proc/self/cgroup')) ? readFileSync(join(root, 'proc/self/cgroup'), 'utf8') : '';
  return groups.split('\n').flatMap((line) => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isCpu = controllers?.split(',').includes('cpu');
    if (controllers !== '' && !isCpu) return [];
    const names = isCpu ? ['cpu.cfs_quota_us', 'cpu.cfs_period_us'] : ['cpu.max'];
    const parts = path.split('/').filter(Boolean);
    // In a container the path may be that of the machine: its own group is the root of what it sees.
    const folders = [...parts, ''].map((_, i) => join(root, 'sys/fs/cgroup', isCpu ? 'cpu' : '', ...parts.slice(0, i)));
    return folders
      .map((folder) => names.map((name) => join(folder, name)))
      .filter((files) => files.every((file) => existsSync(file)));
  });
}
