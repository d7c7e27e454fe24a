/** Exports a project as one tar archive with a manifest, and imports it only if every byte and name is valid. */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { bytesAt, piecesOf } from '../../formats/byte-source.js';
import { stableJson } from '../../formats/stable-json.js';
import { requireSpace } from '../disk/disk.js';
import { fileSize, type OpenFile, withFile, withFileAsync, writeNewFile } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { acquireLock } from '../disk/lock.js';
import { stageFile, stageFolder } from '../disk/staged.js';
import { openProject } from './project-folder.js';
import { tarEnd, tarHeader, type TarMember, tarMembers, tarPadding } from './tar.js';

const TOP = 'verisim-project';
const manifestPath = `${TOP}/archive-manifest.json`;
const manifestSchema = z.object({
  format_version: z.literal(1),
  name: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.int().min(0), sha256: z.string() })),
});
type Manifest = z.infer<typeof manifestSchema>;

const PIECE_BYTES = 1 << 20;
/** A line for each file: a project has some hundreds. */
const MAX_MANIFEST = 1 << 26;
const MAX_DEPTH = 32;
/** Locks, unfinished files and what is made again, which are not exported. */
const passing = /^lock($|\.)|\.(tmp|old)-\d+-|^gguf$/;

interface ArchiveOptions {
  /** Called often, with bytes done and all of them; may wait, and may throw to stop. */
  readonly onProgress?: (done: number, total: number) => void | Promise<void>;
  readonly ops?: FileOperations;
}

function filesIn(folder: string, ops: FileOperations, inside = '', depth = 0): string[] {
  if (depth > MAX_DEPTH) {
    throw new UserError({
      code: 'bad_input',
      message: localized('projects.more_folders_inside_each_other', {
        folder,
        most: MAX_DEPTH,
        inside: inside.slice(0, 60),
      }),
      hint: localized('projects.link_may_lead_round_circles'),
    });
  }
  return ops.list(path.join(folder, inside)).flatMap((name) => {
    if (passing.test(name)) return [];
    const relative = inside === '' ? name : `${inside}/${name}`;
    const kind = ops.kind(path.join(folder, relative));
    if (kind === 'folder') return filesIn(folder, ops, relative, depth + 1);
    return kind === 'file' ? [relative] : [];
  });
}

/** Exports an idle project; equal projects give equal bytes. @returns bytes. @throws UserError `exists`, `locked`, `file_not_found`, `disk_full`, `file_not_writable` */
export async function exportProject(folder: string, file: string, options: ArchiveOptions = {}): Promise<number> {
  const { onProgress, ops = nodeFileOperations } = options;
  const { name } = openProject(folder, ops);
  mustBeArchive(file, ops);
  const lock = acquireLock(folder, 'export', ops);
  try {
    const members = onFile(folder, 'read', () => filesIn(folder, ops))
      .filter((member) => path.resolve(folder, member) !== path.resolve(file))
      .map((member) => ({ path: member, size: fileSize(path.join(folder, member), ops) }));
    const total = members.reduce((sum, { size }) => sum + size, 0);
    requireSpace(path.dirname(path.resolve(file)), total, localized('disk.room_for_exported_project'));
    const staged = stageFile(file, ops);
    try {
      let [written, done] = [0, 0];
      const write = (bytes: Uint8Array) => {
        staged.write(bytes);
        written += bytes.length;
      };
      const files: Manifest['files'] = {};
      for (const { path: member, size } of members) {
        write(tarHeader({ path: `${TOP}/${member}`, size }));
        const hash = createHash('sha256');
        const copy = async (source: OpenFile) => {
          for (const piece of piecesOf(source, PIECE_BYTES, 0, size)) {
            hash.update(piece);
            write(piece);
            done += piece.length;
            await onProgress?.(done, total);
          }
        };
        await withFileAsync(path.join(folder, member), copy, ops);
        write(tarPadding(size));
        files[member] = { bytes: size, sha256: hash.digest('hex') };
      }
      const manifest = Buffer.from(`${stableJson({ format_version: 1, name, files }, 2)}\n`);
      write(tarHeader({ path: manifestPath, size: manifest.length }));
      write(manifest);
      write(tarPadding(manifest.length));
      write(tarEnd);
      staged.commit();
      return written;
    } finally {
      staged.abort();
    }
  } finally {
    lock.release();
  }
}

function mustBeArchive(file: string, ops: FileOperations): void {
  if (onFile(file, 'write', () => ops.kind(file)) === 'none') return;
  try {
    archivedName(file, ops);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      {
        code: 'exists',
        message: localized('projects.there_already_exported_project', { file }),
        hint: localized('projects.choose_another_file_move_one'),
        field: 'file',
      },
      { cause: error },
    );
  }
}

/** Returns the name of the project in an archive. @throws UserError `file_damaged`, `file_not_found` */
export const archivedName = (file: string, ops = nodeFileOperations): string =>
  withFile(file, (source) => readArchive(file, source).manifest.name, ops);

/** Imports an archive into a new or empty folder, completely or not at all. @throws UserError `exists`, `file_damaged`, `disk_full`, `file_not_writable` */
export async function importProject(file: string, folder: string, options: ArchiveOptions = {}): Promise<void> {
  const { onProgress, ops = nodeFileOperations } = options;
  const target = path.resolve(folder);
  mustBeFree(target, folder, ops);
  const extract = async (source: OpenFile) => {
    const { manifest, members } = readArchive(file, source);
    const total = members.reduce((sum, { size }) => sum + size, 0);
    requireSpace(path.dirname(target), total, localized('disk.room_for_project'));
    const staged = stageFolder(target, ops);
    try {
      let done = 0;
      const made = new Set<string>();
      for (const { path: member, size, position } of members) {
        const place = path.join(staged.path, ...member.split('/'));
        makeFolders(staged.path, path.dirname(place), made, ops);
        const bytes = piecesOf(source, PIECE_BYTES, position, position + size);
        const record = onFile(place, 'write', () => writeNewFile(place, bytes, ops));
        const wanted = manifest.files[member];
        if (record.bytes !== wanted?.bytes || record.sha256 !== wanted.sha256) {
          throw damaged(file, localized('projects.archive_file_differs', { member }));
        }
        done += size;
        await onProgress?.(done, total);
      }
      onFile(target, 'write', () => [...made].forEach((inner) => ops.syncFolder(inner)));
      mustBeProject(file, staged.path, ops);
      mustBeFree(target, folder, ops); // another import may have been quicker
      staged.commit();
    } finally {
      staged.abort();
    }
  };
  await withFileAsync(file, extract, ops);
}

function mustBeFree(target: string, folder: string, ops: FileOperations): void {
  onFile(target, 'write', () => {
    const kind = ops.kind(target);
    if (kind === 'none' || (kind === 'folder' && ops.list(target).length === 0)) return;
    throw new UserError({
      code: 'exists',
      message: localized('projects.there_already', { folder }),
      hint: localized('projects.choose_folder_there_yet_project'),
      field: 'project',
    });
  });
}

function mustBeProject(file: string, folder: string, ops: FileOperations): void {
  try {
    openProject(folder, ops);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const fault = error.message.replaceAll(folder, '…');
    throw damaged(file, localized('projects.archive_without_project', { fault }), error);
  }
}

/** Reads the members of an archive and checks them against its manifest by name; their bytes are checked as they are read. */
function readArchive(file: string, source: OpenFile): { manifest: Manifest; members: readonly TarMember[] } {
  const all = [...tarMembers(file, source)];
  const last = all.pop();
  if (last?.path !== manifestPath || last.size > MAX_MANIFEST) {
    throw damaged(file, localized('projects.archive_of_other_program'));
  }
  const manifest = parseManifest(file, bytesAt(source, last.position, last.size).toString());
  const members = all.map((member) => ({ ...member, path: insidePath(file, member.path) }));
  const names = members.map(({ path: name }) => name).sort();
  if (JSON.stringify(names) === JSON.stringify(Object.keys(manifest.files).sort())) return { manifest, members };
  throw damaged(file, localized('projects.archive_other_files'));
}

function parseManifest(file: string, text: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw damaged(file, localized('projects.archive_manifest'), error);
  }
}

/** Returns a member's path in the project. @throws UserError `file_damaged` for one that leads elsewhere */
function insidePath(file: string, member: string): string {
  const [first, head, ...tail] = member.split('/');
  // Refuses what any system reads as a way out, a drive, a device or a stream, and what Verisim takes for its own lock.
  const isSafe = (step: string) => step !== '' && step !== '.' && step !== '..' && !/[\\:\0]/.test(step);
  if (first === TOP && head !== undefined && !passing.test(head) && [head, ...tail].every(isSafe)) {
    return [head, ...tail].join('/');
  }
  throw damaged(file, localized('projects.archive_leads_outside', { member: JSON.stringify(member) }));
}

function makeFolders(root: string, folder: string, made: Set<string>, ops: FileOperations): void {
  if (folder === root || made.has(folder)) return;
  makeFolders(root, path.dirname(folder), made, ops);
  onFile(folder, 'write', () => ops.makeFolder(folder));
  made.add(folder);
}

const damaged = (file: string, why: Message, cause?: unknown): UserError =>
  new UserError(
    {
      code: 'file_damaged',
      message: localized('projects.cannot_imported', { file, why }),
      hint: localized('projects.use_another_copy_file_export'),
      field: 'file',
    },
    { cause },
  );
