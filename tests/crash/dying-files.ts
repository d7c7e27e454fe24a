/** File operations of a process that is killed in the middle of them: really, by the system, without a last word. */
import type { FileOperations } from '../../main/storage/disk/file-operations.js';

export interface Aim {
  /** The operation, from 0, among the counted ones. */
  readonly operation: number;
  /** `inside`: half of a write has happened. */
  readonly moment: 'before' | 'inside' | 'after';
  /** Which are counted: every change of the disk, or only those to checkpoints, models and reward data. */
  readonly among: 'all' | 'results';
}

const results = /[/\\](checkpoints|reward_data)/;

export interface CountedFiles {
  readonly ops: Partial<FileOperations>;
  /** How many changes of the disk there were so far. */
  readonly counts: { all: number; results: number };
}

/** Counts what changes the disk; at the operation that is aimed at, the process dies. */
export function dyingFiles(real: FileOperations, aim: Aim | null): CountedFiles {
  const files = { ...real };
  const counts = { all: 0, results: 0 };
  const paths = new Map<number, string>();
  const die = () => process.kill(process.pid, 'SIGKILL');
  function step<T>(path: string, whole: () => T, part: () => unknown = () => undefined): T {
    const isResult = results.test(path);
    const mine =
      aim !== null && counts[aim.among] === aim.operation && (aim.among === 'all' || isResult) ? aim.moment : null;
    counts.all += 1;
    if (isResult) counts.results += 1;
    if (mine === 'inside') part();
    if (mine === 'before' || mine === 'inside') die();
    const result = whole();
    if (mine === 'after') die();
    return result;
  }
  const pathOf = (handle: number) => paths.get(handle) ?? '';
  const open = (path: string, flags: Parameters<FileOperations['open']>[1]) => {
    const handle = files.open(path, flags);
    paths.set(handle, path);
    return handle;
  };
  return {
    counts,
    ops: {
      open: (path, flags) => (flags === 'r' ? files.open(path, flags) : step(path, () => open(path, flags))),
      write: (handle, bytes) =>
        step(
          pathOf(handle),
          () => files.write(handle, bytes),
          () => files.write(handle, bytes.subarray(0, Math.ceil(bytes.byteLength / 2))),
        ),
      truncate: (handle, length) => step(pathOf(handle), () => files.truncate(handle, length)),
      sync: (handle) => step(pathOf(handle), () => files.sync(handle)),
      syncFolder: (path) => step(path, () => files.syncFolder(path)),
      copy: (from, to) => step(to, () => files.copy(from, to)),
      rename: (from, to) => step(to, () => files.rename(from, to)),
      makeFolder: (path) => step(path, () => files.makeFolder(path)),
      remove: (path) => step(path, () => files.remove(path)),
    },
  };
}
