/**
 * Files and folders that are there whole or not at all. New bytes go to a temporary name beside the target, are synced,
 * and take the target's name by renaming, which the file system does in one step. Whatever moment a crash picks, the
 * next `recover` finds the old state or the new one. (Pillai et al., "All file systems are not created equal", 2014.)
 */
import * as path from 'node:path';
import { threadId } from 'node:worker_threads';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { fileError, onFile } from '../../../shared/file-errors.js';
import { type FileRecord, type Holds, manifestName, manifestText, mustBeReplaceable } from './manifest.js';
import { checkName } from './names.js';
import { type Bytes, copyNewFile, newFileSteps, writeNewFile } from './file-bytes.js';

/** `<target>.<tmp|old>-<pid>-<process start>-<thread>-<count>`: who made it says when it is a leftover. */
const temporaryName = /^(.+)\.(tmp|old)-(\d+)-([0-9a-z]+)-(\d+)-(\d+)$/;
export const isTemporary = (name: string): boolean => temporaryName.test(name);
const inProgress = new Set<string>();
let count = 0;

/** A mark that tells this write's temporary names from all others; after `finish` they count as leftovers. */
export function beginWrite(): { readonly mark: string; finish(): void } {
  count += 1;
  const mark = `${process.pid}-${ownStart}-${threadId}-${count}`;
  inProgress.add(mark);
  return { mark, finish: () => inProgress.delete(mark) };
}

function isLeftover(pid: number, start: string, thread: number, mark: string): boolean {
  if (pid === process.pid && start === ownStart) return thread === threadId && !inProgress.has(mark);
  return !isRunning(pid, start);
}

/** Makes a folder and those above it, each entry synced in its parent. */
export function ensureFolder(folder: string, ops: FileOperations = nodeFileOperations): void {
  onFile(folder, 'write', () => {
    if (ops.kind(folder) === 'folder') return;
    const parent = path.dirname(folder);
    ensureFolder(parent, ops);
    ops.makeFolder(folder);
    ops.syncFolder(parent);
  });
}

/**
 * Finishes or undoes what a process that is gone left in `folder`: a target that was moved aside and not yet replaced
 * comes back, everything else of it is removed. What running processes are writing stays.
 * @param target only what belongs to this name in the folder; all when left out
 */
export function recover(folder: string, target?: string, ops: FileOperations = nodeFileOperations): void {
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

/** {@link recover}, the same clean-up as after a crash. Trouble in cleaning is not reported: what matters has been done or has failed. */
export function cleanUp(folder: string, target: string, ops: FileOperations): void {
  try {
    recover(folder, target, ops);
  } catch {
    // The next `recover` does it.
  }
}

/**
 * Writes or replaces a file in one step.
 * @throws UserError `disk_full`, `file_not_writable`; the old file is then still there
 */
export const writeFileAtomic = (file: string, bytes: Bytes, ops: FileOperations = nodeFileOperations): void =>
  putFile(file, (temporary) => writeNewFile(temporary, bytes, ops), ops);

/** The same with what is in another file. */
export const copyFileAtomic = (from: string, to: string, ops: FileOperations = nodeFileOperations): void =>
  putFile(to, (temporary) => copyNewFile(from, temporary, ops), ops);

/** @param make writes and syncs the file under a temporary name */
function putFile(file: string, make: (temporary: string) => void, ops: FileOperations): void {
  const target = path.resolve(file);
  const [folder, name] = [path.dirname(target), path.basename(target)];
  ensureFolder(folder, ops);
  recover(folder, name, ops);
  const write = beginWrite();
  try {
    const temporary = `${target}.tmp-${write.mark}`;
    make(temporary);
    ops.rename(temporary, target);
    ops.syncFolder(folder);
  } catch (error) {
    write.finish();
    cleanUp(folder, name, ops);
    throw fileError(error, target, 'write');
  }
  write.finish();
}

export interface WriteFolderOptions {
  /**
   * What may be replaced: `ours` (the default) only an empty folder or one that holds the same thing and nothing but what
   * its manifest lists, so that a person's own files are never lost; `anything` where the name is Verisim's own.
   */
  readonly replace?: 'ours' | 'anything';
  /** What the folder is written as; a model or a checkpoint when left out. */
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
 * The same for files that take long to make.
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
  for (;;) {
    const step = steps.next();
    if (step.done === true) return;
    written += step.value;
    try {
      await between(written);
    } catch (error) {
      steps.throw(error);
    }
  }
}

/** Yields how many bytes each step wrote. */
function* folderSteps(
  destination: string,
  files: Readonly<Record<string, Bytes>>,
  { replace = 'ours', holds, ops = nodeFileOperations }: WriteFolderOptions,
): Generator<number, void, void> {
  const target = path.resolve(destination);
  const [folder, name] = [path.dirname(target), path.basename(target)];
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  entries.forEach(([file]) => checkName(file));
  ensureFolder(folder, ops);
  recover(folder, name, ops);
  if (replace === 'ours') mustBeReplaceable(target, holds, ops);
  const write = beginWrite();
  const [temporary, old] = [`${target}.tmp-${write.mark}`, `${target}.old-${write.mark}`];
  try {
    ops.makeFolder(temporary);
    const records: Record<string, FileRecord> = {};
    for (const [file, bytes] of entries) records[file] = yield* newFileSteps(path.join(temporary, file), bytes, ops);
    writeNewFile(path.join(temporary, manifestName), manifestText(records, holds), ops);
    takePlace(temporary, target, old, ops);
  } catch (error) {
    write.finish();
    cleanUp(folder, name, ops);
    throw fileError(error, target, 'write');
  }
  write.finish();
  cleanUp(folder, name, ops); // the new state is in place: what was moved aside goes
}

/**
 * A finished folder gets its name. What had that name is moved aside, for `recover` to remove, or to put back where this was
 * interrupted. All three lie in one folder.
 */
export function takePlace(finished: string, target: string, old: string, ops: FileOperations): void {
  const folder = path.dirname(target);
  ops.syncFolder(finished);
  if (ops.kind(target) !== 'none') {
    ops.rename(target, old);
    ops.syncFolder(folder); // or the disk might see the second rename without the first
  }
  ops.rename(finished, target);
  ops.syncFolder(folder);
}

/** Removes a folder in one step: it is whole or not there, never half empty. Nothing there is fine. */
export function removeFolderAtomic(destination: string, ops: FileOperations = nodeFileOperations): void {
  const target = path.resolve(destination);
  const write = beginWrite();
  try {
    if (ops.kind(target) === 'none') return;
    ops.rename(target, `${target}.tmp-${write.mark}`);
    ops.syncFolder(path.dirname(target));
  } catch (error) {
    throw fileError(error, target, 'write');
  } finally {
    write.finish();
    cleanUp(path.dirname(target), path.basename(target), ops);
  }
}
