/** Stages large files and folders next to their targets; `commit` renames them, `abort` leaves nothing. */
import * as path from 'node:path';
import { beginWrite, cleanUp, ensureFolder, isTemporary, recover, takePlace } from './atomic.js';
import { copyNewFile, writeAll } from './file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

export interface StagedFile {
  /** @throws UserError `disk_full`, `file_not_writable` */
  write(bytes: Uint8Array): void;
  /** Writes over the beginning of what was written, which must be longer. */
  writeStart(bytes: Uint8Array): void;
  /** Syncs and closes the file, which is then complete under its temporary name. */
  finish(): void;
  /** Gives the file its name, in place of any that had it. */
  commit(): void;
  /** Removes what was written; nothing happens after `commit`. */
  abort(): void;
}

/** A file that will be `target`; its folder is made if it is not there. */
export function stageFile(file: string, ops: FileOperations = nodeFileOperations): StagedFile {
  const target = path.resolve(file);
  const [folder, name] = [path.dirname(target), path.basename(target)];
  ensureFolder(folder, ops);
  recover(folder, name, ops);
  const write = beginWrite();
  const temporary = `${target}.tmp-${write.mark}`;
  let handle: number | null = null;
  let state: 'open' | 'committed' | 'aborted' = 'open';
  try {
    handle = onFile(target, 'write', () => ops.open(temporary, 'wx'));
  } catch (error) {
    write.finish();
    throw error;
  }

  const close = (): void => {
    if (handle === null) return;
    const open = handle;
    handle = null;
    ops.close(open);
  };
  return {
    write(bytes) {
      const open = handle;
      if (open === null) throw new Error('the file is closed');
      onFile(target, 'write', () => writeAll(open, bytes, ops));
    },
    writeStart(bytes) {
      onFile(target, 'write', () => {
        const start = ops.open(temporary, 'r+');
        try {
          writeAll(start, bytes, ops);
        } finally {
          ops.close(start);
        }
      });
    },
    finish() {
      const open = handle;
      if (open === null) return;
      onFile(target, 'write', () => {
        ops.sync(open);
        close();
      });
    },
    commit() {
      if (state !== 'open') throw new Error(`the file is ${state}`);
      this.finish();
      onFile(target, 'write', () => {
        ops.rename(temporary, target);
        ops.syncFolder(folder);
      });
      state = 'committed';
      write.finish();
    },
    abort() {
      if (state !== 'open') return;
      state = 'aborted';
      write.finish();
      try {
        close();
      } catch {
        // What went wrong before is what gets reported.
      }
      cleanUp(folder, name, ops);
    },
  };
}

interface StagedFolder {
  readonly path: string;
  /** Gives the folder its name, in place of any that had it; its files must have been synced. */
  commit(): void;
  abort(): void;
}

/** A folder that will be `target`; the one it lies in is made if it is not there. */
export function stageFolder(folder: string, ops: FileOperations = nodeFileOperations): StagedFolder {
  const target = path.resolve(folder);
  const [parent, name] = [path.dirname(target), path.basename(target)];
  ensureFolder(parent, ops);
  recover(parent, name, ops);
  const write = beginWrite();
  const [temporary, old] = [`${target}.tmp-${write.mark}`, `${target}.old-${write.mark}`];
  try {
    onFile(target, 'write', () => ops.makeFolder(temporary));
  } catch (error) {
    write.finish();
    throw error;
  }
  let open = true;
  return {
    path: temporary,
    commit() {
      onFile(target, 'write', () => takePlace(temporary, target, old, ops));
      open = false;
      write.finish();
      cleanUp(parent, name, ops);
    },
    abort() {
      if (!open) return;
      open = false;
      write.finish();
      cleanUp(parent, name, ops);
    },
  };
}

/** Copies a folder, without temporary files, and replaces one of that name. */
export function copyFolder(from: string, to: string, ops: FileOperations = nodeFileOperations): void {
  const staged = stageFolder(to, ops);
  try {
    onFile(to, 'write', () => copyInto(from, staged.path, ops));
    staged.commit();
  } finally {
    staged.abort();
  }
}

function copyInto(from: string, folder: string, ops: FileOperations): void {
  for (const name of ops.list(from).filter((one) => !isTemporary(one))) {
    const [source, copy] = [path.join(from, name), path.join(folder, name)];
    if (ops.kind(source) === 'folder') {
      ops.makeFolder(copy);
      copyInto(source, copy, ops);
      ops.syncFolder(copy);
    } else copyNewFile(source, copy, ops);
  }
}
