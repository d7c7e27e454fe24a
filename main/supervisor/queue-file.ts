/** Stores the queue, so that a restarted app knows what ran and what waited. */
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import { readJson, writeJson } from '../storage/disk/json-file.js';

const schema = z.object({ format_version: z.literal(1), folders: z.array(z.string()) });

/** What was in the queue; a file that is missing or damaged is an empty one, for nothing of value is lost with it. */
export function readQueue(file: string): readonly string[] {
  try {
    return [...new Set(readJson(file, schema)?.folders)];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** A failed write is repeated at the next change. */
export function writeQueue(file: string, folders: readonly string[]): void {
  try {
    writeJson(file, { format_version: 1, folders: [...folders] });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}
