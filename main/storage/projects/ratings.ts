/** Stores passages to rate: `ratings/pairs` and `ratings/boundaries`, one file per source. Votes: rating-votes.ts. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { z } from 'zod';
import { readingShape, type ReadingConfig } from '../../../shared/config/generation.js';
import type { RatingTask } from '../../../shared/rating.js';
import type { RatingPassage } from '../../engine/cycle/rating-passages.js';
import { writeFileAtomic } from '../disk/atomic.js';
import { readJson } from '../disk/json-file.js';
import { checkName } from '../disk/names.js';

const passagesSchema = z.object({
  format_version: z.literal(1),
  /** How they were drawn, from all tokens if absent. */
  drawn: z.object(readingShape).optional(),
  passages: z.array(z.object({ prompt: z.string(), text: z.string() })),
});

/** Identifies a passage without naming its author. */
export const passageId = (source: string, { prompt, text }: RatingPassage): string =>
  createHash('sha256')
    .update(JSON.stringify([source, prompt, text]))
    .digest('hex')
    .slice(0, 16);

const folders: Readonly<Record<RatingTask, string>> = { pair: 'pairs', boundary: 'boundaries' };

/** @param ratings the project's `ratings` folder */
export const taskFolder = (ratings: string, task: RatingTask): string => path.join(ratings, folders[task]);

const passagesFile = (folder: string, source: string): string => {
  checkName(source);
  return path.join(folder, `${source}.json`);
};

/** @param folder of a task. @returns none if the file is missing or damaged: they are written again */
export const readPassages = (folder: string, source: string): readonly RatingPassage[] =>
  readJson(passagesFile(folder, source), passagesSchema)?.passages ?? [];

/** Returns how the passages of a task were drawn, all alike; null if there are none, undefined if that was not stored. */
export function passageRule(folder: string): ReadingConfig | undefined | null {
  const stored = existsSync(folder) ? readdirSync(folder) : [];
  const found = stored.map((file) => readJson(path.join(folder, file), passagesSchema)).find((one) => one !== null);
  return found ? found.drawn : null;
}

export const removePassages = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** @throws UserError `disk_full`, `file_not_writable` */
export function writePassages(
  folder: string,
  source: string,
  passages: readonly RatingPassage[],
  drawn?: ReadingConfig,
): void {
  const content = { format_version: 1, drawn, passages };
  writeFileAtomic(passagesFile(folder, source), `${JSON.stringify(content, null, 2)}\n`);
}

const keySchema = z.object({ key: z.string().regex(/^[0-9a-f]{64}$/) });

/** Returns the project's secret, created on first use: it orders and names passages, so that neither reveals the author. */
export function ratingKey(ratings: string): string {
  const file = path.join(ratings, 'key.json');
  const stored = readJson(file, keySchema);
  if (stored) return stored.key;
  const key = randomBytes(32).toString('hex');
  writeFileAtomic(file, `${JSON.stringify({ key })}\n`);
  return key;
}
