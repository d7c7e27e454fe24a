/** Wraps every file operation of storage in one synchronous interface, so that tests can make each one fail. */
import * as fs from 'node:fs';
import { onFile } from '../../../shared/file-errors.js';
import { identityOf } from './file-stamp.js';

type PathKind = 'file' | 'folder' | 'other' | 'none';

export interface FileOperations {
  /** `r` reads, `r+` also writes, `wx` creates and fails if the file exists, `a` appends and creates. */
  open(path: string, flags: 'r' | 'r+' | 'wx' | 'a'): number;
  /** May read less than requested; 0 at the end. */
  read(handle: number, into: Uint8Array, position: number): number;
  /** Writes at the handle's position; may write less than requested. */
  write(handle: number, bytes: Uint8Array): number;
  size(handle: number): number;
  /** Identifies the file's contents, wherever the file is moved. */
  identity(handle: number): string;
  truncate(handle: number, length: number): void;
  /** Returns when the file's bytes are on the disk. */
  sync(handle: number): void;
  close(handle: number): void;
  /** Returns when the folder's entries (names made, renamed, removed) are on the disk. */
  syncFolder(path: string): void;
  /** Makes a new file, which its owner may write; shares the space with the other if the disk can do that. */
  copy(from: string, to: string): void;
  rename(from: string, to: string): void;
  makeFolder(path: string): void;
  /** Names in a folder, sorted, without their path. */
  list(path: string): readonly string[];
  kind(path: string): PathKind;
  /** Removes a file, or a folder with its contents; it may be missing. */
  remove(path: string): void;
}

const OWNER_WRITES = 0o200;

export const nodeFileOperations: FileOperations = {
  open: (path, flags) => fs.openSync(path, flags),
  read: (handle, into, position) => fs.readSync(handle, into, 0, into.byteLength, position),
  write: (handle, bytes) => fs.writeSync(handle, bytes, 0, bytes.byteLength),
  size: (handle) => fs.fstatSync(handle).size,
  identity: (handle) => identityOf(fs.fstatSync(handle, { bigint: true })),
  truncate: (handle, length) => fs.ftruncateSync(handle, length),
  sync: (handle) => fs.fsyncSync(handle),
  close: (handle) => fs.closeSync(handle),
  syncFolder(path) {
    if (process.platform === 'win32') return; // Windows does not open folders; NTFS journals their entries itself
    const handle = fs.openSync(path, 'r');
    try {
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  },
  copy(from, to) {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(to, fs.statSync(to).mode | OWNER_WRITES);
  },
  rename: (from, to) => fs.renameSync(from, to),
  makeFolder: (path) => void fs.mkdirSync(path, { recursive: true }),
  list: (path) => fs.readdirSync(path).sort(),
  kind(path) {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'none';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  },
  remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
};

/** Returns the kind of a path that is about to be read. @throws UserError `file_not_readable` */
export const kindAt = (path: string, ops = nodeFileOperations): PathKind => onFile(path, 'read', () => ops.kind(path));
