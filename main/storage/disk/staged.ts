/** Stages large files and folders next to their targets; `commit` renames them, `abort` leaves nothing. */
import * as path from 'node:path';
import { onFile } from '../../../shared/file-errors.js';
import { beginWrite, isTemporary, takePlace } from './atomic.js';
import { copyNewFile, writeAll } from './file-bytes.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

export type StagedFile = ReturnType<typeof stageFile>;

/** Begins a file that will be `target`; its folder is made if it is missing. */
export function stageFile(file: string, ops = nodeFileOperations) {
  const { target, temporary, end } = beginWrite(file, ops);
  const step = <T>(action: () => T): T => onFile(target, 'write', action);
  let handle: number | null;
  try {
    handle = step(() => ops.open(temporary, 'wx'));
  } catch (error) {
    end();
    throw error;
  }
  /** Forgets the handle first: one that could not be closed is gone all the same. */
  const close = (beforehand: (open: number) => void): void => {
    const open = handle;
    handle = null;
    if (open === null) return;
    try {
      beforehand(open);
    } finally {
      ops.close(open);
    }
  };
  const finish = (): void => step(() => close((open) => ops.sync(open)));
  return {
    /** @throws UserError `disk_full`, `file_not_writable` */
    write(bytes: Uint8Array): void {
      const open = handle;
      if (open === null) throw new Error('the file is closed');
      step(() => writeAll(open, bytes, ops));
    },
    /** Writes over the beginning of what was written, which must be longer. */
    writeStart(bytes: Uint8Array): void {
      step(() => {
        const start = ops.open(temporary, 'r+');
        try {
          writeAll(start, bytes, ops);
        } finally {
          ops.close(start);
        }
      });
    },
    /** Completes the file under its temporary name. */
    finish,
    /** Gives the file its name, in place of any that had it. */
    commit(): void {
      finish();
      step(() => {
        ops.rename(temporary, target);
        ops.syncFolder(path.dirname(target));
      });
      end();
    },
    /** Removes what was written; does nothing after `commit`. */
    abort(): void {
      try {
        close(() => undefined);
      } catch {
        // What failed before is what gets reported.
      }
      end();
    },
  };
}

export function stageFolder(folder: string, ops = nodeFileOperations) {
  const write = beginWrite(folder, ops);
  try {
    onFile(write.target, 'write', () => ops.makeFolder(write.temporary));
  } catch (error) {
    write.end();
    throw error;
  }
  return {
    path: write.temporary,
    /** Gives the folder its name, in place of any that had it; its files must have been synced. */
    commit(): void {
      onFile(write.target, 'write', () => takePlace(write.temporary, write, ops));
      write.end();
    },
    abort: write.end,
  };
}

/** Copies a folder, without temporary files, and replaces one of that name. */
export function copyFolder(from: string, to: string, ops = nodeFileOperations): void {
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
