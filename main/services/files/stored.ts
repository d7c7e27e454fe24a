/** Small facts the app keeps for itself: one JSON file each, checked when read, replaced in one step. */
import { parsedJson } from '../../../shared/base/json.js';
import { existsSync, renameSync } from 'node:fs';
import type { z } from 'zod';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { readText } from '../../storage/disk/file-bytes.js';

/** What a file holds; `otherwise` when it is not there. One that cannot be understood is moved aside, not lost. */
export function readStored<S extends z.ZodType>(file: string, schema: S, otherwise: z.output<S>): z.output<S> {
  if (!existsSync(file)) return otherwise;
  const parsed = schema.safeParse(parsedJson(readText(file)));
  if (parsed.success) return parsed.data;
  renameSync(file, `${file}.damaged`);
  return otherwise;
}

export const writeStored = (file: string, value: unknown): void =>
  writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`);
