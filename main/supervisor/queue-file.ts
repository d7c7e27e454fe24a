/**
 * The queue on the disk, so that an app that is opened again knows what was running: the folders of what runs, what
 * waits, and what has not been answered yet, in order.
 */
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../shared/errors.js';
import { stableJson } from '../engine/stable-json.js';
import { ensureFolder, writeFileAtomic } from '../storage/atomic.js';
import { readText } from '../storage/file-bytes.js';

const schema = z.object({ format_version: z.literal(1), folders: z.array(z.string()) });

/** What was in the queue; a file that is missing or damaged is an empty one, for nothing of value is lost with it. */
export function readQueue(file: string): readonly string[] {
  try {
    return [...new Set(schema.parse(JSON.parse(readText(file))).folders)];
  } catch (error) {
    if (error instanceof UserError || error instanceof SyntaxError || error instanceof z.ZodError) return [];
    throw error;
  }
}

export function writeQueue(file: string, folders: readonly string[]): void {
  ensureFolder(path.dirname(file));
  writeFileAtomic(file, `${stableJson({ format_version: 1, folders: [...folders] }, 2)}\n`);
}
