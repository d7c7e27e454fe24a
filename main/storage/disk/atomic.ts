/**
 * Writes files and folders that are there whole or not at all. New bytes go to a temporary name next to the target, are
 * synced, and take the target's name by renaming, which the file system does in one step. Whatever moment a crash picks,
 * the next `recover` finds the old state or the new one. (Pillai et al., "All file systems are not created equal", 2014.)
 */
import * as path from 'node:path';
import { threadId } from 'node:worker_threads';
import { fileError, onFile } from '../../../shared/file-errors.js';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { type Bytes, copyNewFile, newFileSteps, writeNewFile } from './file-bytes.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { type FileRecord, type Holds, manifestName, manifestText, mustBeReplaceable } from './manifest.js';
import { checkName } from './names.js';

/** `<target>.<tmp|old>-<pid>-<process start>-<thread>-<count>`: its maker decides when it is a leftover. */
const temporaryName = /^(.+)\.(tmp|old)-(\d+)-([0-9a-z]+)-(\d+)-(\d+)$/;
export const isTemporary = (name: string): boolean => temporaryName.test(name);
const inProgress = new Set<string>();
let count = 0;

/** A write in progress: where it goes, and the names that it uses until then. */
export interface Write {
  readonly target: string;
  readonly temporary: string;
  /** Name of the replaced folder until the write ends. */
  readonly old: string;
  /** Removes what is left under temporary names; the second call does nothing. */
  end(): void;
}

/** Begins a write: makes the folder that it lies in, and recovers what a crash left of an earlier one. `end` it. */
export function beginWrite(destination: string, ops: FileOperations): Write {
  const target = path.resolve(destination);
  const [folder, name] = [path.dirname(target), path.basename(target)];
  ensureFolder(folder, ops);
  recover(folder, name, ops);
  count += 1;
  const mark = `${process.pid}-${ownStart}-${threadId}-${count}`;
  inProgress.add(mark);
  return {
    target,
    temporary: `${target}.tmp-${mark}`,
    old: `${target}.old-${mark}`,
    end() {
      if (!inProgress.delete(mark)) return;
      try {
        recover(folder, name, ops);
      } catch {
        // The next `recover` does it; the write itself has succeeded or failed already.
      }
    },
  };
}

function isLeftover(pid: number, start: string, thread: number, mark: string): boolean {
  if (pid === process.pid && start === ownStart) return thread === threadId && !inProgress.has(mark);
  return !isRunning(pid, start);
}

/** Makes a folder and those above it, each entry synced in its parent. */
export function ensureFolder(folder: string, ops = nodeFileOperations): void {
  onFile(folder, 'write', () => {
    if (ops.kind(folder) === 'folder') return;
    const parent = path.dirname(folder);
    ensureFolder(parent, ops);
    ops.makeFolder(folder);
    ops.syncFolder(parent);
  });
}

/**
 * Finishes or undoes what an ended process left in `folder`: a target that was moved aside and not yet replaced comes
 * back, everything else of it is removed. What running processes are writing stays.
 * @param target only what belongs to this name in the folder; omit for all
 */
export function recover(folder: string, target?: string, ops = nodeFileOperations): void {
  onFile(folder, 'write', () => {
    if (ops.kind(folder) !== 'folder') return;
    // Sorted, so that `old` is put back or removed before `tmp`.
    for (const name of ops.list(folder)) {
      const [, base, kind, pid, start, thread, counter] = temporaryName.exec(name) ?? [];
      if (base === undefined || start === undefined || (target !== undefined && base !== target)) continue;
      if (!isLeftover(Number(pid), start, Number(thread), `${pid}-${start}-${thread}-${counter}`)) continue;
      const leftover = path.join(folder, name);
      if (kind === 'old' && ops.kind(path.join(folder, base)) === 'none') {
        ops.rename(leftover, path.join(folder, base));
        ops.syncFolder(folder);
      } else {
        ops.remove(leftover);
      }
    }
  });
}

/**
 * Writes or replaces a file in one step.
 * @throws UserError `disk_full`, `file_not_writable`; the old file is then still there
 */
export const writeFileAtomic = (file: string, bytes: Bytes, ops = nodeFileOperations): void =>
  putFile(file, (temporary) => writeNewFile(temporary, bytes, ops), ops);

/** Copies a file in one step. @throws as writeFileAtomic */
export const copyFileAtomic = (from: string, to: string, ops = nodeFileOperations): void =>
  putFile(to, (temporary) => copyNewFile(from, temporary, ops), ops);

function putFile(file: string, make: (temporary: string) => void, ops: FileOperations): void {
  const write = beginWrite(file, ops);
  try {
    make(write.temporary);
    ops.rename(write.temporary, write.target);
    ops.syncFolder(path.dirname(write.target));
  } catch (error) {
    throw fileError(error, write.target, 'write');
  } finally {
    write.end();
  }
}

export interface WriteFolderOptions {
  /**
   * What may be replaced. `ours` (the default): only an empty folder, or one that holds the same thing and nothing but what
   * its manifest lists, so that users never lose files. `anything`: the name is Verisim's own.
   */
  readonly replace?: 'ours' | 'anything';
  /** What the folder is written as; omit for a model or a checkpoint. */
  readonly holds?: Holds;
  readonly ops?: FileOperations;
}

/**
 * Writes or replaces a whole folder in one step: every file, then `manifest.json` with the length and SHA-256 of each.
 * @param files bytes by file name; sources are read once, in name order
 * @throws UserError `exists` when the folder holds other things; `disk_full`, `file_not_writable`
 */
export function writeFolderAtomic(
  destination: string,
  files: Readonly<Record<string, Bytes>>,
  options: WriteFolderOptions = {},
): void {
  const steps = folderSteps(destination, files, options);
  while (steps.next().done !== true);
}

/**
 * Writes a folder like `writeFolderAtomic`, with pauses: for files that take long to make.
 * @param between called after each piece with the bytes written so far; may wait, and may throw to stop: nothing is left then
 */
export async function writeFolderSlowly(
  destination: string,
  files: Readonly<Record<string, Bytes>>,
  between: (bytes: number) => Promise<void>,
  options: WriteFolderOptions,
): Promise<void> {
  const steps = folderSteps(destination, files, options);
  let written = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    written += step.value;
    await between(written).catch((error: unknown) => steps.throw(error));
  }
}

function* folderSteps(
  destination: string,
  files: Readonly<Record<string, Bytes>>,
  { replace = 'ours', holds, ops = nodeFileOperations }: WriteFolderOptions,
): Generator<number, void, void> {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  entries.forEach(([file]) => checkName(file));
  const write = beginWrite(destination, ops);
  try {
    if (replace === 'ours') mustBeReplaceable(write.target, holds, ops);
    ops.makeFolder(write.temporary);
    const records: Record<string, FileRecord> = {};
    for (const [file, bytes] of entries) {
      records[file] = yield* newFileSteps(path.join(write.temporary, file), bytes, ops);
    }
    writeNewFile(path.join(write.temporary, manifestName), manifestText(records, holds), ops);
    takePlace(write.temporary, write, ops);
  } catch (error) {
    throw fileError(error, write.target, 'write');
  } finally {
    write.end();
  }
}

/** Gives a finished folder its name. What had that name is moved aside: the end of the write, or `recover`, removes it. */
export function takePlace(finished: string, { target, old }: Write, ops: FileOperations): void {
  const folder = path.dirname(target);
  ops.syncFolder(finished);
  if (ops.kind(target) !== 'none') {
    ops.rename(target, old);
    ops.syncFolder(folder); // or the disk might see the second rename without the first
  }
  ops.rename(finished, target);
  ops.syncFolder(folder);
}

/** Removes a folder in one step: it is whole or not there, never half empty. It may be missing. */
export function removeFolderAtomic(destination: string, ops = nodeFileOperations): void {
  onFile(destination, 'write', () => {
    if (ops.kind(destination) === 'none') return;
    const write = beginWrite(destination, ops);
    try {
      ops.rename(write.target, write.temporary);
      ops.syncFolder(path.dirname(write.target));
    } finally {
      write.end();
    }
  });
}
