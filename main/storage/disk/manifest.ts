/** Writes manifest.json last: length and SHA-256 of every other file, which shows that a folder is complete. */
import { localized } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { shorten } from '../../formats/shorten.js';
import { stableJson } from '../../formats/stable-json.js';
import { measureFile, readText } from './file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, kindAt, nodeFileOperations } from './file-operations.js';
import { isName } from './names.js';

export const manifestName = 'manifest.json';
/** Some hundred times what a checkpoint's has. */
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
/** What a folder was written as, where that is not a model or a checkpoint. */
export type Holds = z.infer<typeof holdsSchema>;
type Manifest = z.infer<typeof manifestSchema>;

export function manifestText(files: Readonly<Record<string, FileRecord>>, holds?: Holds): string {
  return `${stableJson({ format_version: 1, ...(holds && { holds }), files }, 2)}\n`;
}

/** @throws UserError `file_not_found`, `file_not_readable`, `file_damaged` */
function readManifest(folder: string, ops: FileOperations = nodeFileOperations): Manifest {
  const text = readText(path.join(folder, manifestName), ops, MAX_MANIFEST);
  try {
    const manifest = parseBoundedJson(text) as { readonly files?: object };
    // zod passes over a key that would not be one in JavaScript; a manifest that has it lists a file that nothing checks.
    if (Object.hasOwn(manifest.files ?? {}, '__proto__')) throw new Error('a file that cannot be called so');
    return manifestSchema.parse(manifest);
  } catch (error) {
    throw damaged(folder, manifestName, { cause: error });
  }
}

/** Checks every file of a folder against its manifest. @returns their names. @throws UserError `file_damaged` naming the first */
export function verifyFolder(folder: string, ops: FileOperations = nodeFileOperations): readonly string[] {
  const { files } = readManifest(folder, ops);
  for (const [name, expected] of Object.entries(files)) {
    const file = path.join(folder, name);
    if (kindAt(file, ops) === 'none') throw damaged(folder, name, {}, 'is missing');
    if (!agrees(file, expected, ops)) throw damaged(folder, name);
  }
  return Object.keys(files);
}

function agrees(file: string, expected: FileRecord, ops: FileOperations): boolean {
  const found = measureFile(file, ops);
  return found.bytes === expected.bytes && found.sha256 === expected.sha256;
}

/**
 * Refuses a folder that may not be replaced by one that holds `holds`: only an empty one may, and one that Verisim wrote
 * as the very same thing and that nobody has put anything into. An export must also be as it was written: another
 * program may have saved its own work under the same names.
 * @throws UserError `exists`
 */
export function mustBeReplaceable(folder: string, holds: Holds | undefined, ops: FileOperations): void {
  onFile(folder, 'write', () => {
    const kind = ops.kind(folder);
    if (kind === 'none') return;
    const found = kind === 'folder' ? ops.list(folder) : [folder];
    if (found.length === 0) return;
    const there = kind === 'folder' ? manifestIn(folder, ops) : null;
    if (there !== null && JSON.stringify(there.holds) !== JSON.stringify(holds)) {
      const what = there.holds
        ? `an export in the format ${there.holds.format}`
        : 'a model, or an export by an older Verisim';
      throw occupied(`${folder} holds ${what}, which is not replaced`, 'move this one away');
    }
    const isOurs = (name: string) => {
      if (there === null || name === manifestName) return there !== null;
      const record = there.files[name];
      return record !== undefined && (holds === undefined || agrees(path.join(folder, name), record, ops));
    };
    const foreign = found.filter((name) => !isOurs(name));
    if (foreign.length === 0) return;
    const names = foreign.slice(0, 3).join(', ');
    throw occupied(`${folder} holds files that Verisim did not write there: ${names}`, 'move these files away');
  });
}

const occupied = (message: string, otherwise: string) =>
  new UserError({ code: 'exists', message, hint: localized('disk.choose_another_folder', { otherwise }) });

function manifestIn(folder: string, ops: FileOperations): Manifest | null {
  try {
    return readManifest(folder, ops);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

function damaged(folder: string, name: string, options?: ErrorOptions, what = 'is damaged'): UserError {
  return new UserError(
    {
      code: 'file_damaged',
      message: localized('disk.damaged_entry', { name: shorten(name), what, folder }),
      hint: localized('disk.saved_there_use_another_copy'),
    },
    options,
  );
}
