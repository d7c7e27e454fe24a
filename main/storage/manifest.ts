/**
 * manifest.json: what a folder must hold to be whole. It lists the length and SHA-256 of every other file and is
 * written last, so that a folder with a manifest that agrees is exactly what was saved.
 */
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import { parseBoundedJson } from '../engine/bounded-json.js';
import { shortened } from '../engine/shortened.js';
import { stableJson } from '../engine/stable-json.js';
import { measureFile, readSmall } from './file-bytes.js';
import { onFile } from './file-errors.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { isName } from './names.js';

export const manifestName = 'manifest.json';
/** Some hundred times what a checkpoint's has. */
const LARGEST_MANIFEST = 1 << 18;

const recordSchema = z.strictObject({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const manifestSchema = z.strictObject({
  format_version: z.literal(1),
  files: z.record(z.string().refine(isName), recordSchema),
});

export type FileRecord = z.infer<typeof recordSchema>;

export function manifestText(files: Readonly<Record<string, FileRecord>>): string {
  return `${stableJson({ format_version: 1, files }, 2)}\n`;
}

/** @throws UserError `file_not_found`, `file_not_readable`, `file_damaged` */
export function readManifest(folder: string, ops: FileOperations = nodeFileOperations): Record<string, FileRecord> {
  const text = new TextDecoder().decode(readSmall(path.join(folder, manifestName), LARGEST_MANIFEST, ops));
  try {
    const manifest = parseBoundedJson(text) as { readonly files?: object };
    // zod passes over a key that would not be one in JavaScript; a manifest that has it lists a file that nothing checks.
    if (Object.hasOwn(manifest.files ?? {}, '__proto__')) throw new Error('a file that cannot be called so');
    return manifestSchema.parse(manifest).files;
  } catch (error) {
    throw damaged(folder, manifestName, { cause: error });
  }
}

/**
 * Checks every file of a folder against its manifest.
 * @returns the names of the files
 * @throws UserError `file_damaged` naming the first file that is missing or differs
 */
export function verifyFolder(folder: string, ops: FileOperations = nodeFileOperations): readonly string[] {
  const records = readManifest(folder, ops);
  for (const [name, expected] of Object.entries(records)) {
    const file = path.join(folder, name);
    if (onFile(file, 'read', () => ops.kind(file)) === 'none') throw damaged(folder, name, {}, 'is missing');
    const found = measureFile(file, ops);
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) throw damaged(folder, name);
  }
  return Object.keys(records);
}

/** The files that Verisim wrote to a folder, the manifest included; none when it has no readable manifest. */
export function filesOfManifest(folder: string, ops: FileOperations): readonly string[] {
  try {
    return [manifestName, ...Object.keys(readManifest(folder, ops))];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

function damaged(folder: string, name: string, options?: ErrorOptions, what = 'is damaged'): UserError {
  return new UserError(
    {
      code: 'file_damaged',
      message: `${shortened(name)} ${what} (in ${folder})`,
      hint: 'It is not what was saved there; use another copy, or make it again.',
    },
    options,
  );
}
