/** Stores uploaded files in the app's folder, and files to download. Unused ones are removed after a day. */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { ensureFolder } from '../../storage/disk/atomic.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { writeAll } from '../../storage/disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import type { DataFolder } from './data-folder.js';
import type { FileHandles } from './file-handles.js';

const MAX_UPLOAD = 64 * 1024 ** 3;
const MAX_DEPTH = 32;
const day = 24 * 60 * 60 * 1000;

export type Uploads = ReturnType<typeof createUploads>;

export function createUploads(data: DataFolder, handles: FileHandles) {
  return {
    /** Stores a file, completely or not at all; `name` may have folders inside `folder`. @throws UserError `bad_input`, `disk_full`, `file_not_found`, `stopped` */
    async receive(name: string, size: number, chunks: AsyncIterable<Uint8Array>, into?: string) {
      if (size > MAX_UPLOAD) {
        throw new UserError({
          code: 'bad_input',
          message: localized('files.too_large_sent', { name }),
          hint: localized('files.copy_machine_verisim_runs_choose'),
        });
      }
      const { folder, file, unkept } =
        into === undefined ? placeAlone(data, name) : placeInside(data, handles.pathOf(into), name);
      ensureFolder(folder);
      try {
        requireSpace(folder, size, name);
        const handle = onFile(file, 'write', () => ops.open(file, 'wx'));
        let received = 0;
        try {
          for await (const chunk of chunks) {
            received += chunk.byteLength;
            if (received > size) break;
            onFile(file, 'write', () => writeAll(handle, chunk, ops));
          }
          onFile(file, 'write', () => ops.sync(handle));
        } finally {
          ops.close(handle);
        }
        if (received !== size) {
          throw new UserError({
            code: 'stopped',
            message: localized('files.did_arrive_whole', { name }),
            hint: localized('files.send_again'),
          });
        }
        return handles.give(file);
      } catch (error) {
        ops.remove(unkept);
        throw error;
      }
    },
    /** An empty folder of this name, for files that are sent one after the other. */
    makeFolder(name: string) {
      const folder = join(data.uploads, randomUUID(), safeName(name));
      ensureFolder(folder);
      return handles.give(folder);
    },
    /** A place to write a file to that a browser fetches afterwards. */
    downloadFor(name: string) {
      const folder = join(data.downloads, randomUUID());
      ensureFolder(folder);
      return handles.give(join(folder, safeName(name)), 'write');
    },
    downloadPath(handle: string) {
      const path = handles.pathOf(handle, 'write');
      if (dirname(dirname(path)) === data.downloads && ops.kind(path) === 'file') return path;
      throw new UserError({
        code: 'file_not_found',
        message: localized('files.there_no_such_file_fetch'),
        hint: localized('files.export_again'),
      });
    },
    /** Removes what is a day old and not in `used`; null keeps all uploads. */
    tidy(used: ReadonlySet<string> | null, now: number) {
      const old = (parent: string): string[] =>
        (ops.kind(parent) === 'folder' ? readdirSync(parent) : [])
          .map((name) => join(parent, name))
          .filter((folder) => now - statSync(folder).mtimeMs > day);
      const isIn = (folder: string) => (path: string) => path.startsWith(folder + sep);
      const unused = used === null ? [] : old(data.uploads).filter((folder) => ![...used].some(isIn(folder)));
      for (const folder of [...unused, ...old(data.downloads)]) ops.remove(folder);
    },
  };
}

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly unkept: string;
}

/** In a folder of its own. */
function placeAlone(data: DataFolder, name: string): Place {
  const folder = join(data.uploads, randomUUID());
  return { folder, file: join(folder, safeName(name)), unkept: folder };
}

/** In a folder that was made for it. @param root that folder, if it is one */
function placeInside(data: DataFolder, root: string, name: string): Place {
  if (dirname(dirname(root)) !== data.uploads || ops.kind(root) !== 'folder') {
    throw new UserError({
      code: 'file_not_found',
      message: localized('files.there_no_such_folder_send'),
      hint: localized('files.drop_folder_again'),
    });
  }
  const parts = name.split('/');
  const folder = join(root, ...parts.slice(0, -1).slice(0, MAX_DEPTH).map(safeName));
  const own = safeName(parts.at(-1) ?? '');
  // Names that were made safe may have become alike.
  let file = join(folder, own);
  for (let n = 2; ops.kind(file) !== 'none'; n++) file = join(folder, `${n} ${own}`);
  return { folder, file, unkept: file };
}

/** The last part of a name, without what file systems do not like; its ending says what kind of file it is. */
function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'));
  const plain = last.replace(/[\p{Cc}<>:"|?*]/gu, '_').replace(/^\.+/, '');
  return plain.slice(-120) || 'file';
}
