/** Moves a file or folder to the trash: freedesktop.org's Trash specification 1.0 on Linux, ~/.Trash on macOS. */
import * as path from 'node:path';
import { onFile } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import { homeFolder } from '../../installation/environment.mjs';
import { writeNewFile } from './file-bytes.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

interface TrashOptions {
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
  readonly dataHome?: string | undefined;
  readonly ops?: FileOperations;
}

/** Faults of a trash that lies on another disk, or where the user may not write. */
const unusable: ReadonlySet<string | null> = new Set(['EXDEV', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/** @returns the new place; null, with nothing changed, if there is no usable trash. @throws UserError `file_not_writable`, `file_not_found` */
export function moveToTrash(target: string, options: TrashOptions = {}): string | null {
  const { platform = process.platform, home = homeFolder(), ops = nodeFileOperations } = options;
  const { dataHome = process.env['XDG_DATA_HOME'] || path.join(home, '.local', 'share') } = options;
  const from = path.resolve(target);
  const isMac = platform === 'darwin';
  const files = isMac ? path.join(home, '.Trash') : path.join(dataHome, 'Trash', 'files');
  const info = path.join(dataHome, 'Trash', 'info');
  if (platform === 'win32' || (isMac && ops.kind(files) !== 'folder')) return null;
  try {
    for (const folder of isMac ? [] : [files, info]) ops.makeFolder(folder);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? path.basename(from) : `${path.basename(from)}.${count}`;
      const [to, note] = [path.join(files, name), path.join(info, `${name}.trashinfo`)];
      if (ops.kind(to) !== 'none' || (!isMac && ops.kind(note) !== 'none')) continue;
      if (!isMac) writeNewFile(note, trashInfo(from, new Date()), ops);
      try {
        ops.rename(from, to);
      } catch (error) {
        if (!isMac) ops.remove(note);
        throw error;
      }
      return to;
    }
  } catch (error) {
    if (unusable.has(systemCode(error))) return null;
    return onFile(from, 'write', () => {
      throw error;
    });
  }
}

/** Returns the note from which a file manager restores it. */
function trashInfo(from: string, now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const encoded = from.split('/').map(encodeURIComponent).join('/');
  return `[Trash Info]\nPath=${encoded}\nDeletionDate=${local}\n`;
}
