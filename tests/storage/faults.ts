/**
 * Breaks file operations on purpose, over real files: operation number k fails as the system would fail it, moves only
 * part of its bytes, or the "process" ends before, in the middle of or after it, after which every operation fails.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type FileOperations, nodeFileOperations } from '../../main/storage/disk/file-operations.js';
import { temporaryRoot } from '../support/temporary-root.js';

export const faults = ['EIO', 'ENOSPC', 'EACCES', 'short', 'crash before', 'crash inside', 'crash after'] as const;
export type Fault = (typeof faults)[number];

export class Crash extends Error {}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code, syscall: 'injected' });
}

export interface FaultyFiles extends FileOperations {
  /** Number of operations. */
  readonly calls: number;
  /** Which they were. */
  readonly operations: readonly (keyof FileOperations)[];
  /** Closes what the "crashed process" left open. */
  closeAll(): void;
}

/** @param at the operation, counted from 0, that meets the fault; none when left out */
export function faultyFiles(at?: number, fault?: Fault, files: FileOperations = nodeFileOperations): FaultyFiles {
  const real = { ...files };
  const open = new Set<number>();
  const operations: (keyof FileOperations)[] = [];
  let calls = 0;
  let crashed = false;

  /** `part` does some of the operation, for those that can be done in part. */
  function step<T>(name: keyof FileOperations, whole: () => T, part: () => T): T {
    if (crashed) throw new Crash();
    const mine = calls === at ? fault : undefined;
    calls += 1;
    operations.push(name);
    switch (mine) {
      case undefined:
        return whole();
      case 'short':
        return part();
      case 'crash before':
        crashed = true;
        throw new Crash();
      case 'crash inside':
        crashed = true;
        part();
        throw new Crash();
      case 'crash after':
        crashed = true;
        whole();
        throw new Crash();
      default:
        throw systemError(mine);
    }
  }
  const some = (bytes: Uint8Array) => bytes.subarray(0, Math.ceil(bytes.byteLength / 2));
  const same = <T>(name: keyof FileOperations, action: () => T) => step(name, action, action);

  return {
    get calls() {
      return calls;
    },
    operations,
    closeAll: () => open.forEach((handle) => real.close(handle)),
    open: (file, flags) =>
      same('open', () => {
        const handle = real.open(file, flags);
        open.add(handle);
        return handle;
      }),
    read: (handle, into, position) =>
      step(
        'read',
        () => real.read(handle, into, position),
        () => real.read(handle, some(into), position),
      ),
    write: (handle, bytes) =>
      step(
        'write',
        () => real.write(handle, bytes),
        () => real.write(handle, some(bytes)),
      ),
    size: (handle) => same('size', () => real.size(handle)),
    identity: (handle) => same('identity', () => real.identity(handle)),
    truncate: (handle, length) => same('truncate', () => real.truncate(handle, length)),
    sync: (handle) => same('sync', () => real.sync(handle)),
    close(handle) {
      // A close that reports an error has closed the file all the same.
      if (!crashed) {
        open.delete(handle);
        real.close(handle);
      }
      same('close', () => undefined);
    },
    syncFolder: (folder) => same('syncFolder', () => real.syncFolder(folder)),
    copy: (from, to) => same('copy', () => real.copy(from, to)),
    rename: (from, to) => same('rename', () => real.rename(from, to)),
    makeFolder: (folder) => same('makeFolder', () => real.makeFolder(folder)),
    list: (folder) => same('list', () => real.list(folder)),
    kind: (file) => same('kind', () => real.kind(file)),
    remove: (target) =>
      step(
        'remove',
        () => real.remove(target),
        () => {
          // A folder is removed entry by entry.
          if (real.kind(target) === 'folder') {
            const [first] = real.list(target);
            if (first !== undefined) real.remove(path.join(target, first));
          }
        },
      ),
  };
}

/** Operations that change nothing: none needs room on the disk, and a crash before one leaves what one before the next does. */
const reading: readonly (keyof FileOperations)[] = ['read', 'size', 'identity', 'list', 'kind'];
/** Operations on an open file, which are allowed. */
const onHandles: readonly (keyof FileOperations)[] = ['read', 'write', 'size', 'identity', 'truncate', 'sync', 'close'];

/**
 * The faults that a system can give, and that make a difference: what happens at once is not done in part, and a crash after an
 * operation is one before the next.
 */
export function faultsOf(operation: keyof FileOperations, isLast: boolean): readonly Fault[] {
  const inPart = ['read', 'write', 'remove'].includes(operation);
  const isReading = reading.includes(operation);
  return faults.filter((fault) => {
    if (fault === 'EACCES') return !onHandles.includes(operation);
    if (fault === 'ENOSPC') return !isReading;
    if (fault === 'short') return inPart;
    if (fault === 'crash inside') return inPart && !isReading;
    return fault === 'crash after' ? isLast : fault !== 'crash before' || isLast || !isReading;
  });
}

export interface FaultOutcome {
  readonly fault: Fault;
  readonly at: number;
  /** What `act` threw, if it did. */
  readonly error: unknown;
}

/** Runs `act` in a fresh folder once for each of its operations and each fault, and `check` after it. */
export function withEveryFault(
  prepare: (folder: string) => void,
  act: (folder: string, ops: FileOperations) => void,
  check: (folder: string, outcome: FaultOutcome) => void,
): number {
  const inFolder = <T>(use: (folder: string) => T) => {
    const folder = temporaryFolder();
    try {
      prepare(folder);
      return use(folder);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  };
  const operations = inFolder((folder) => {
    const ops = faultyFiles();
    act(folder, ops);
    return ops.calls;
  });
  for (let at = 0; at < operations; at += 1) {
    for (const fault of faults) {
      inFolder((folder) => {
        const ops = faultyFiles(at, fault);
        let error: unknown = null;
        try {
          act(folder, ops);
        } catch (thrown) {
          error = thrown;
        }
        ops.closeAll();
        try {
          check(folder, { fault, at, error });
        } catch (failure) {
          throw new Error(`after ${fault} at operation ${at} of ${operations}`, { cause: failure });
        }
      });
    }
  }
  return operations;
}

/** Thousands of syncs are slow on a disk. */
export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(temporaryRoot, 'verisim-storage-'));
}

/** Every file below a folder with its text, for comparing states. */
export function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.relative(folder, file)] = fs.readFileSync(file, 'latin1');
  }
  return found;
}
