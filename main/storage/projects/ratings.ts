/**
 * A person's ratings, kept with the project: `ratings/SOURCE.json` holds passages of the text (`natural`) or of a
 * generator, `ratings/ratings.jsonl` what was said of them. Beside the project's own work: no run reads or changes them.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { verdicts } from '../../../shared/contract/ratings.js';
import type { RatingPassage } from '../../engine/cycle/ratings.js';
import { writeFileAtomic } from '../disk/atomic.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { readJson } from '../disk/json-file.js';
import { openJsonLines, readJsonLines } from '../disk/json-lines.js';
import { checkName } from '../disk/names.js';

const passagesSchema = z.object({
  format_version: z.literal(1),
  passages: z.array(z.object({ prompt: z.string(), text: z.string() })),
});

const ratingSchema = z.object({
  passage: z.string(),
  source: z.string(),
  verdict: z.enum(verdicts),
  /** ISO 8601. */
  at: z.string(),
});
export type Rating = z.infer<typeof ratingSchema>;

/** What tells a passage from others without saying whose it is. */
export const passageId = (source: string, { prompt, text }: RatingPassage): string =>
  createHash('sha256')
    .update(JSON.stringify([source, prompt, text]))
    .digest('hex')
    .slice(0, 16);

const passagesFile = (folder: string, source: string): string => {
  checkName(source);
  return path.join(folder, `${source}.json`);
};

/** @param folder the project's `ratings`. @returns null where there are none, or none that can be read: they are made again */
export function readPassages(
  folder: string,
  source: string,
  ops: FileOperations = nodeFileOperations,
): readonly RatingPassage[] | null {
  return readJson(passagesFile(folder, source), passagesSchema, { ops })?.passages ?? null;
}

/** @throws UserError `disk_full`, `file_not_writable` */
export function writePassages(
  folder: string,
  source: string,
  passages: readonly RatingPassage[],
  ops: FileOperations = nodeFileOperations,
): void {
  writeFileAtomic(passagesFile(folder, source), `${JSON.stringify({ format_version: 1, passages }, null, 2)}\n`, ops);
}

const ratingsFile = (folder: string): string => path.join(folder, 'ratings.jsonl');

/** Everything that was said, in order. @throws UserError `file_damaged` */
export const readRatings = (folder: string, ops: FileOperations = nodeFileOperations): Rating[] => [
  ...readJsonLines(ratingsFile(folder), (row) => ratingSchema.parse(row), ops),
];

/** Keeps one more. It is on the disk when this returns. @throws UserError `disk_full`, `file_not_writable` */
export function addRating(folder: string, rating: Rating, ops: FileOperations = nodeFileOperations): void {
  const log = openJsonLines(ratingsFile(folder), ops);
  try {
    log.append(rating);
    log.sync();
  } finally {
    log.close();
  }
}

/**
 * Takes back what was last said of a passage.
 * @throws UserError `file_damaged`, `disk_full`, `file_not_writable`
 */
export function removeRating(folder: string, passage: string, ops: FileOperations = nodeFileOperations): void {
  const ratings = readRatings(folder, ops);
  const last = ratings.findLastIndex((rating) => rating.passage === passage);
  if (last < 0) return;
  const lines = ratings.filter((_, at) => at !== last).map((rating) => `${JSON.stringify(rating)}\n`);
  writeFileAtomic(ratingsFile(folder), lines.join(''), ops);
}
