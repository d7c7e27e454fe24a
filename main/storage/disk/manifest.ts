/** Writes manifest.json last: length and SHA-256 of every other file, which shows that a folder is complete. */
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { shorten } from '../../formats/shorten.js';
import { stableJson } from '../../formats/stable-json.js';
import { measureFile, readText } from './file-bytes.js';
import { type FileOperations, kindAt, nodeFileOperations } from './file-operations.js';
import { isName } from './names.js';

export const manifestName = 'manifest.json';
/** A hundred times the manifest of a checkpoint. */
const MAX_MANIFEST = 1 << 18;

const recordSchema = z.strictObject({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
/** Models and checkpoints have none: they are older than it. */
const holdsSchema = z.strictObject({ kind: z.literal('export'), format: z.string().min(1).max(40) });
const manifestSchema = z.strictObject({
  format_version: z.literal(1),
  holds: holdsSchema.optional(),
  files: z.record(z.string().refine(isName), recordSchema),
});

export type FileRecord = z.infer<typeof recordSchema>;
/** What a folder was written as, unless it is a model or a checkpoint. */
export type Holds = z.infer<typeof holdsSchema>;
type Manifest = z.infer<typeof manifestSchema>;

export function manifestText(files: Readonly<Record<string, FileRecord>>, holds?: Holds): string {
  return `${stableJson({ format_version: 1, ...(holds && { holds }), files }, 2)}\n`;
}

/** @throws UserError `file_not_found`, `file_not_readable`, `file_damaged` */
function readManifest(folder: string, ops: FileOperations): Manifest {
  const text = readText(path.join(folder, manifestName), ops, MAX_MANIFEST);
  try {
    const manifest = parseBoundedJson(text) as { readonly files?: object };
    // zod skips this key, so the manifest would list a file that nothing checks.
    if (Object.hasOwn(manifest.files ?? {}, '__proto__')) throw new Error('__proto__ is not a file name');
    return manifestSchema.parse(manifest);
  } catch (error) {
    throw damaged(localized('disk.damaged_entry', { name: manifestName, folder }), error);
  }
}

/** Checks every file of a folder against its manifest. @returns their names. @throws UserError `file_damaged` naming the first */
export function verifyFolder(folder: string, ops = nodeFileOperations): readonly string[] {
  const { files } = readManifest(folder, ops);
  for (const [name, expected] of Object.entries(files)) {
    const file = path.join(folder, name);
    const entry = { name: shorten(name), folder };
    if (kindAt(file, ops) === 'none') throw damaged(localized('disk.missing_entry', entry));
    if (!agrees(file, expected, ops)) throw damaged(localized('disk.damaged_entry', entry));
  }
  return Object.keys(files);
}

function agrees(file: string, expected: FileRecord, ops: FileOperations): boolean {
  const found = measureFile(file, ops);
  return found.bytes === expected.bytes && found.sha256 === expected.sha256;
}

/**
 * Refuses a folder that one with `holds` may not replace. It may replace an empty one, and one that Verisim wrote as the
 * same thing and to which nothing was added. An export must also be unchanged: another program may have saved its own
 * work under the same names.
 * @throws UserError `exists`
 */
export function mustBeReplaceable(folder: string, holds: Holds | undefined, ops: FileOperations): void {
  onFile(folder, 'write', () => {
    const kind = ops.kind(folder);
    if (kind === 'none') return;
    const found = kind === 'folder' ? ops.list(folder) : [folder];
    if (found.length === 0) return;
    const current = kind === 'folder' ? manifestIn(folder, ops) : null;
    if (current !== null && JSON.stringify(current.holds) !== JSON.stringify(holds)) {
      const message = current.holds
        ? localized('disk.holds_export', { folder, format: current.holds.format })
        : localized('disk.holds_model', { folder });
      throw occupied(message, localized('disk.move_this_away'));
    }
    const isOurs = (name: string) => {
      if (current === null || name === manifestName) return current !== null;
      const record = current.files[name];
      return record !== undefined && (holds === undefined || agrees(path.join(folder, name), record, ops));
    };
    const foreign = found.filter((name) => !isOurs(name));
    if (foreign.length === 0) return;
    const names = foreign.slice(0, 3).join(', ');
    throw occupied(localized('disk.holds_other_files', { folder, names }), localized('disk.move_files_away'));
  });
}

const occupied = (message: Message, hint: Message) => new UserError({ code: 'exists', message, hint });

function manifestIn(folder: string, ops: FileOperations): Manifest | null {
  try {
    return readManifest(folder, ops);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

const damaged = (message: Message, cause?: unknown): UserError =>
  new UserError({ code: 'file_damaged', message, hint: localized('disk.saved_there_use_another_copy') }, { cause });
