/**
 * What an unfinished reward dataset knows about itself: first the settings that it is made with, then a line for each
 * shard, a stretch of samples that is safely on the disk, with its hashes. A later run of the same settings resumes
 * behind the last shard that is whole.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import type { Settled, Split } from '../../engine/reward/reward-data.js';
import { stableJson } from '../../formats/stable-json.js';
import type { Json } from '../../engine/types.js';
import { piecesOf } from '../../formats/byte-source.js';
import { withFile } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, kindAt } from '../disk/file-operations.js';
import { cutBack, type JsonLinesWriter, openJsonLines, readJsonLines } from '../disk/json-lines.js';

export type RewardDataSettings = Readonly<Record<string, Json>>;

const headSchema = z.object({ format_version: z.literal(1), settings: z.record(z.string(), z.json()) });
const shardSchema = z.object({
  split: z.enum(['train', 'val']),
  /** Samples in this shard. */
  samples: z.int().min(0),
  /** How far the split is with it. */
  planned: z.int().min(0),
  skipped: z.int().min(0),
  x_sha256: z.string(),
  y_sha256: z.string(),
});
export type Shard = z.infer<typeof shardSchema>;

interface Unfinished {
  readonly settings: RewardDataSettings;
  readonly shards: readonly Shard[];
}

const journalName = 'journal.jsonl';

/** What the journal in `folder` says; null when there is none that can be read. */
export function readJournal(folder: string, ops: FileOperations): Unfinished | null {
  const rows: unknown[] = [];
  try {
    for (const row of readJsonLines(path.join(folder, journalName), (value) => value, ops)) rows.push(row);
  } catch (error) {
    // A damaged line: what stands before it counts.
    if (!(error instanceof UserError) || error.code !== 'file_damaged') throw error;
  }
  const head = headSchema.safeParse(rows[0]);
  if (!head.success) return null;
  const shards: Shard[] = [];
  for (const row of rows.slice(1)) {
    const shard = shardSchema.safeParse(row);
    if (!shard.success) break;
    shards.push(shard.data);
  }
  return { settings: head.data.settings, shards };
}

/** The shards at the beginning whose bytes are there, as they were written. @param bytesPerRow of the ids of one sample */
export function wholeShards(
  shards: readonly Shard[],
  fileOf: (split: Split, part: 'x' | 'y') => string,
  bytesPerRow: number,
  ops: FileOperations,
): Shard[] {
  const at = { train: 0, val: 0 };
  const isWhole = ({ split, samples, x_sha256, y_sha256 }: Shard): boolean => {
    const first = at[split];
    at[split] += samples;
    return (
      hashOf(fileOf(split, 'x'), bytesPerRow * first, bytesPerRow * samples, ops) === x_sha256 &&
      hashOf(fileOf(split, 'y'), 8 * first, 8 * samples, ops) === y_sha256
    );
  };
  const end = shards.findIndex((shard) => !isWhole(shard));
  return shards.slice(0, end < 0 ? shards.length : end);
}

function hashOf(file: string, position: number, length: number, ops: FileOperations): string | null {
  if (kindAt(file, ops) !== 'file') return null;
  return withFile(
    file,
    (source) => {
      if (source.byteLength < position + length) return null;
      const hash = createHash('sha256');
      for (const piece of piecesOf(source, 1 << 20, position, position + length)) hash.update(piece);
      return hash.digest('hex');
    },
    ops,
  );
}

/** How far each split is with these shards, and how many samples it has. */
export function settledBy(shards: readonly Shard[]): Record<Split, Settled & { readonly samples: number }> {
  const of = (split: Split) => {
    const own = shards.filter((shard) => shard.split === split);
    const last = own.at(-1);
    const samples = own.reduce((sum, shard) => sum + shard.samples, 0);
    return { planned: last?.planned ?? 0, skipped: last?.skipped ?? 0, samples };
  };
  return { train: of('train'), val: of('val') };
}

/** Opens the journal for more shards, after those that are kept. */
export function openJournal(
  folder: string,
  settings: RewardDataSettings,
  kept: readonly Shard[],
  ops: FileOperations,
): JsonLinesWriter {
  const file = path.join(folder, journalName);
  if (kept.length === 0) onFile(file, 'write', () => ops.remove(file));
  else {
    let row = 0;
    cutBack(file, { keep: () => row++ <= kept.length }, ops);
  }
  const journal = openJsonLines(file, ops);
  if (kept.length === 0) {
    journal.append({ format_version: 1, settings });
    journal.sync();
  }
  return journal;
}

/** In words, where two settings differ. */
export function differences(there: RewardDataSettings, here: RewardDataSettings): string[] {
  const keys = [...new Set([...Object.keys(there), ...Object.keys(here)])];
  const word = (value: Json | undefined): string => (typeof value === 'string' ? value : stableJson(value ?? null));
  return keys
    .filter((key) => stableJson(there[key] ?? null) !== stableJson(here[key] ?? null))
    .map((key) => `${key} is ${word(there[key])} there, ${word(here[key])} now`);
}
