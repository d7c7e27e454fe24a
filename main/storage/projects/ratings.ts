/**
 * Passages for people to judge, kept with the project: `ratings/SOURCE.json` holds those of the text (`natural`) or of a
 * generator that are judged one by one; `ratings/pairs` and `ratings/boundaries` hold those of the other tasks. What was
 * said of them is in rating-votes.ts. Beside the project's own work: no run reads or changes them.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import type { RatingTask } from '../../../shared/rating.js';
import type { RatingPassage } from '../../engine/cycle/ratings.js';
import { writeFileAtomic } from '../disk/atomic.js';
import { nodeFileOperations } from '../disk/file-operations.js';
import { readJson } from '../disk/json-file.js';
import { createKept } from '../disk/kept.js';
import { checkName } from '../disk/names.js';

const passagesSchema = z.object({
  format_version: z.literal(1),
  passages: z.array(z.object({ prompt: z.string(), text: z.string() })),
});

/** What tells a passage from others without saying whose it is. */
export const passageId = (source: string, { prompt, text }: RatingPassage): string =>
  createHash('sha256')
    .update(JSON.stringify([source, prompt, text]))
    .digest('hex')
    .slice(0, 16);

/** Below the project's `ratings`; single passages are where the first versions kept them. */
const taskFolders: Readonly<Record<RatingTask, string>> = { single: '', pair: 'pairs', boundary: 'boundaries' };

/** Where a task's passages are. @param ratings the project's `ratings` */
export const taskFolder = (ratings: string, task: RatingTask): string => path.join(ratings, taskFolders[task]);

const passagesFile = (folder: string, source: string): string => {
  checkName(source);
  return path.join(folder, `${source}.json`);
};

/** @param folder a task's. @returns null where there are none, or none that can be read: they are made again */
export function readPassages(folder: string, source: string): readonly RatingPassage[] | null {
  const file = passagesFile(folder, source);
  return lately.of(file, nodeFileOperations, () => readJson(file, passagesSchema)?.passages ?? null);
}

const lately = createKept<readonly RatingPassage[] | null>({ most: 16 });

/** @throws UserError `disk_full`, `file_not_writable` */
export function writePassages(folder: string, source: string, passages: readonly RatingPassage[]): void {
  writeFileAtomic(passagesFile(folder, source), `${JSON.stringify({ format_version: 1, passages }, null, 2)}\n`);
}

const keySchema = z.object({ key: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * The project's own secret, made when it is first wanted: what orders and names passages, so that neither their order nor
 * their names can be worked out from what they say. @throws UserError `disk_full`, `file_not_writable`
 */
export function ratingKey(ratings: string): string {
  const file = path.join(ratings, 'key.json');
  const kept = readJson(file, keySchema);
  if (kept) return kept.key;
  const key = randomBytes(32).toString('hex');
  writeFileAtomic(file, `${JSON.stringify({ key })}\n`);
  return key;
}
