/**
 * The system's trash, for what a person deletes: on Linux the folders of the freedesktop.org Trash specification 1.0, on
 * macOS ~/.Trash. Windows' recycle bin needs the system's own interface, which only the desktop app has.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { writeNewFile } from './file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

interface TrashOptions {
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
  /** $XDG_DATA_HOME. */
  readonly dataHome?: string | undefined;
  readonly uid?: number;
  readonly now?: Date;
  /** The topmost folder of the disk that a path lies on. */
  readonly diskOf?: (path: string) => string;
  readonly ops?: FileOperations;
}

/**
 * Moves a file or folder to the trash.
 * @returns where it lies now; null where there is no trash that it could go to: nothing has happened then
 * @throws UserError `file_not_writable`, `file_not_found`
 */
export function moveToTrash(target: string, options: TrashOptions = {}): string | null {
  const { platform = process.platform, home = os.homedir(), ops = nodeFileOperations } = options;
  const from = path.resolve(target);
  if (platform === 'win32') return null;
  if (platform === 'darwin') return moveInto(from, path.join(home, '.Trash'), null, options, ops);
  const { dataHome = process.env['XDG_DATA_HOME'] || path.join(home, '.local', 'share') } = options;
  return (
    moveInto(from, path.join(dataHome, 'Trash', 'files'), path.join(dataHome, 'Trash', 'info'), options, ops) ??
    moveToVolumeTrash(from, options, ops)
  );
}

/** The trash of another disk: `.Trash-<user>` in its topmost folder. */
function moveToVolumeTrash(from: string, options: TrashOptions, ops: FileOperations): string | null {
  const { uid = os.userInfo().uid, diskOf = topOf } = options;
  const trash = path.join(diskOf(from), `.Trash-${uid}`);
  return moveInto(from, path.join(trash, 'files'), path.join(trash, 'info'), options, ops);
}

/** What the system says of a trash that is not this file's. */
const elsewhere: ReadonlySet<string | null> = new Set(['EXDEV', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/** @param info where a note of each thing goes; null where the trash keeps none */
function moveInto(
  from: string,
  files: string,
  info: string | null,
  { now = new Date() }: TrashOptions,
  ops: FileOperations,
): string | null {
  try {
    if (info === null && ops.kind(files) !== 'folder') return null;
    for (const folder of info === null ? [] : [files, info]) ops.makeFolder(folder);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? path.basename(from) : `${path.basename(from)}.${count}`;
      if (ops.kind(path.join(files, name)) !== 'none') continue;
      if (!moved(from, path.join(files, name), info && path.join(info, `${name}.trashinfo`), now, ops)) continue;
      return path.join(files, name);
    }
  } catch (error) {
    // Another disk, or a place where this user may not write: not this trash.
    if (elsewhere.has(systemCode(error))) return null;
    return onFile(from, 'write', () => {
      throw error;
    });
  }
}

/** @returns false when another process took the name first */
function moved(from: string, to: string, note: string | null, now: Date, ops: FileOperations): boolean {
  if (note !== null) {
    if (ops.kind(note) !== 'none') return false;
    writeNewFile(note, trashInfo(from, now), ops);
  }
  try {
    ops.rename(from, to);
    return true;
  } catch (error) {
    if (note !== null) ops.remove(note);
    throw error;
  }
}

/** The note that lets a file manager put it back. */
function trashInfo(from: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  const encoded = from.split('/').map(encodeURIComponent).join('/');
  return `[Trash Info]\nPath=${encoded}\nDeletionDate=${date}T${time}\n`;
}

function topOf(target: string): string {
  const disk = fs.statSync(target).dev;
  let top = path.dirname(target);
  while (path.dirname(top) !== top && fs.statSync(path.dirname(top)).dev === disk) top = path.dirname(top);
  return top;
}
