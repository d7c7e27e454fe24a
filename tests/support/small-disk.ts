/** A small file system in memory, mounted in a name space of its own: a disk that is really full, used by the test alone. */
import { spawnSync } from 'node:child_process';

/** Name spaces in which a file system may be mounted: with this user's rights, or with those over a space of its own. */
const spaces = [['--mount'], ['--user', '--map-root-user', '--mount']];

/**
 * Runs this Node with `args` where `folder`, which must be there, is such a disk.
 * @returns the lines it printed; null where this user may not mount anything
 * @throws Error with what it wrote when it failed
 */
export function onSmallDisk(folder: string, megabytes: number, args: readonly string[]): string[] | null {
  const script = 'mount -t tmpfs -o "size=$2m" tmpfs "$1" || exit 99; shift 2; exec "$@"';
  const command = ['sh', '-c', script, 'sh', folder, String(megabytes), process.execPath, ...args];
  for (const space of spaces) {
    const { status, stdout, stderr, error } = spawnSync('unshare', [...space, '--', ...command], { encoding: 'utf8' });
    if (status === 0) return stdout.trim().split('\n');
    // 1: no such name space may be made; 99: nothing may be mounted in it.
    if (!error && status !== 1 && status !== 99) throw new Error(stderr);
  }
  return null;
}
