/** Small JSON files of our own: checked when read, replaced in one step. */
import type { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { stableJson } from '../../formats/stable-json.js';
import { writeFileAtomic } from './atomic.js';
import { readText } from './file-bytes.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

interface ReadJsonOptions {
  /** Makes the error for an unreadable file; omit to treat it as missing. */
  readonly damaged?: (cause: unknown) => Error;
  readonly ops?: FileOperations;
}

/** @returns null for a missing file. @throws UserError `file_not_readable` */
export function readJson<S extends z.ZodType>(
  file: string,
  schema: S,
  { damaged, ops = nodeFileOperations }: ReadJsonOptions = {},
): z.output<S> | null {
  let text: string;
  try {
    text = readText(file, ops);
  } catch (error) {
    if (error instanceof UserError && error.code === 'file_not_found') return null;
    throw error;
  }
  try {
    return schema.parse(parseBoundedJson(text));
  } catch (error) {
    if (damaged) throw damaged(error);
    return null;
  }
}

/** Writes the same bytes for the same value. @throws UserError `disk_full`, `file_not_writable` */
export const writeJson = (file: string, value: Parameters<typeof stableJson>[0], ops = nodeFileOperations): void =>
  writeFileAtomic(file, `${stableJson(value, 2)}\n`, ops);
