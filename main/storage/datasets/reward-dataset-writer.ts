/**
 * Writes the specification's reward dataset: train_x.bin, train_y.bin, train_metadata.txt and the same for val. It grows beside
 * its place and appears there whole or not at all. What a run that was stopped, or crashed, has written stays beside it
 * and the next run of the same settings resumes, to the same bytes:
 *
 *     <dir>.partial/dataset/       the files, as far as they are
 *                   journal.jsonl  which samples are safely in them
 *                   lock/          who writes
 */
import { localized } from '../../../shared/messages/message.js';
import { createHash, type Hash } from 'node:crypto';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import type { Settled, Split } from '../../engine/reward/reward-data.js';
import { formatRewardMetadata, type Provenance } from '../../formats/reward-dataset.js';
import { bytesPerId, type TokenizationInfo } from '../../engine/tokenizer/types.js';
import type { TokenIds } from '../../engine/types.js';
import { beginWrite, cleanUp, ensureFolder, recover, takePlace } from '../disk/atomic.js';
import { writeAll, writeNewFile } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { acquireLock, lockHolder } from '../disk/lock.js';
import { floatBytes, namesOf, splits } from './reward-dataset-names.js';
import {
  differences,
  openJournal,
  readJournal,
  type RewardDataSettings,
  settledBy,
  type Shard,
  wholeShards,
} from './reward-dataset-journal.js';
import type { JsonLinesWriter } from '../disk/json-lines.js';
import { tokenBytes } from './token-files.js';

/** So many samples are put on the disk, and into the journal, together; a crash costs no more. */
const SHARD_SAMPLES = 256;

export interface RewardDatasetWriter {
  /** What an earlier run has written: the next samples come after these. */
  readonly settled: Readonly<Record<Split, Settled>>;
  /**
   * @param x (n, blockSize) token ids
   * @param y (n, 2) probabilities: natural, generated
   * @param settled how far the split is with these; left out: nothing of the plan was skipped
   */
  append(split: Split, x: TokenIds, y: Float32Array, settled?: Settled): void;
  /** Writes the metadata and gives the dataset its name. */
  finish(): void;
  /** Stops; what is written stays for a later run of the same settings. Nothing happens after `finish`. */
  close(): void;
}

export interface RewardDatasetOptions {
  readonly blockSize: number;
  readonly tokenization: TokenizationInfo;
  /** What the samples depend on: only a run of the same settings resumes what an earlier one has written. */
  readonly settings: RewardDataSettings;
  /** Kept in the metadata. */
  readonly provenance?: Provenance;
  /** Whether a dataset that is there, or begun with other settings, may be replaced. */
  readonly overwrite?: boolean;
}

/** How many bytes the ids of one sample take. */
const bytesPerRow = ({ blockSize, tokenization }: RewardDatasetOptions): number =>
  blockSize * bytesPerId(tokenization.vocabSize);

/** Where the samples of a split are: its token ids, and its probabilities. */
type PlaceOf = (split: Split, part: 'x' | 'y') => string;

/**
 * Begins a dataset, or resumes it. Nothing is seen at `dir` until `finish`.
 * @throws UserError `exists`, `locked`, `disk_full`, `file_not_writable`
 */
export function createRewardDatasetWriter(
  dir: string,
  options: RewardDatasetOptions,
  ops: FileOperations = nodeFileOperations,
): RewardDatasetWriter {
  const { blockSize, overwrite = false } = options;
  const width = bytesPerId(options.tokenization.vocabSize);
  const target = path.resolve(dir);
  recoverRewardDataset(target, ops);
  refuseToReplace(target, dir, overwrite, ops);
  const { partial, folder, fileOf, files, journal, counts, lock, leave } = openUnfinished(dir, target, options, ops);
  const shards = createShards(fileOf, files, journal, counts);
  const samples = { train: counts.train.samples, val: counts.val.samples };
  let isOpen = true;
  let isJournalOpen = true;

  function closeFiles(): void {
    files.close();
    if (isJournalOpen) journal.close();
    isJournalOpen = false;
  }

  return {
    settled: counts,
    append(split, x, y, now) {
      const count = y.length / 2;
      if (x.length !== count * blockSize || !Number.isInteger(count)) {
        throw new RangeError(`${x.length} ids and ${y.length} probabilities do not make samples of ${blockSize}`);
      }
      const { planned, skipped } = shards.settled[split];
      shards.append(split, count, tokenBytes(x, width), floatBytes(y), now ?? { planned: planned + count, skipped });
      samples[split] += count;
    },
    finish() {
      shards.end();
      for (const split of splits) {
        const file = path.join(folder, namesOf(split).metadata);
        writeMetadata(file, samples[split], shards.settled[split].skipped, options, ops);
      }
      closeFiles();
      replaceWith(folder, target, ops);
      isOpen = false;
      lock.release();
      onFile(partial, 'write', () => ops.remove(partial));
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      // A failure here must not hide the one that led here; the journal only counts what is safe.
      quietly(shards.end);
      quietly(closeFiles);
      quietly(leave);
    },
  };
}

/** The folder beside `target` in which the dataset grows, with what an earlier run of the same settings left in it. */
function openUnfinished(dir: string, target: string, options: RewardDatasetOptions, ops: FileOperations) {
  const partial = `${target}.partial`;
  const folder = path.join(partial, 'dataset');
  const fileOf: PlaceOf = (split, part) => path.join(folder, namesOf(split)[part]);
  refuseForeign(partial, ops);
  ensureFolder(partial, ops);
  const lock = acquireLock(partial, 'verisim prepare_reward_data', ops);
  const files = createGrowingFiles(ops);
  const leave = (): void => {
    files.abandon();
    lock.release();
    // What is left is whole shards, or nothing worth keeping.
    if ((readJournal(partial, ops)?.shards.length ?? 0) === 0) ops.remove(partial);
  };
  try {
    const kept = keptShards(dir, partial, fileOf, options, ops);
    if (kept.length === 0) onFile(folder, 'write', () => ops.remove(folder));
    ensureFolder(folder, ops);
    const counts = settledBy(kept);
    for (const split of splits) {
      files.open(fileOf(split, 'x'), bytesPerRow(options) * counts[split].samples);
      files.open(fileOf(split, 'y'), 8 * counts[split].samples);
    }
    onFile(folder, 'write', () => ops.syncFolder(folder));
    const journal = openJournal(partial, options.settings, kept, ops);
    return { partial, folder, fileOf, files, journal, counts, lock, leave };
  } catch (error) {
    quietly(leave);
    throw error;
  }
}

/** Files that are written at their end only. */
function createGrowingFiles(ops: FileOperations) {
  const handles = new Map<string, number>();
  const handleOf = (file: string): number => {
    const handle = handles.get(file);
    if (handle === undefined) throw new Error('the dataset is closed');
    return handle;
  };
  return {
    /** @param length in bytes: what a crash left behind it goes */
    open(file: string, length: number): void {
      onFile(file, 'write', () => {
        const handle = ops.open(file, 'a');
        handles.set(file, handle);
        ops.truncate(handle, length);
      });
    },
    append: (file: string, bytes: Uint8Array): void =>
      onFile(file, 'write', () => writeAll(handleOf(file), bytes, ops)),
    sync: (file: string): void => onFile(file, 'write', () => ops.sync(handleOf(file))),
    close(): void {
      for (const [file, handle] of [...handles]) {
        handles.delete(file);
        onFile(file, 'write', () => ops.close(handle));
      }
    },
    /** Closes them whatever happens. */
    abandon(): void {
      for (const handle of handles.values()) quietly(() => ops.close(handle));
      handles.clear();
    },
  };
}

type GrowingFiles = ReturnType<typeof createGrowingFiles>;

/** Writes samples, and puts them on the disk and into the journal a shard at a time. */
function createShards(
  fileOf: PlaceOf,
  files: GrowingFiles,
  journal: JsonLinesWriter,
  from: Readonly<Record<Split, Settled>>,
) {
  const settled: Record<Split, Settled> = { ...from };
  let pending: { readonly split: Split; samples: number; readonly x: Hash; readonly y: Hash } | null = null;

  /** Puts on the disk what came since the last shard, and only then into the journal. */
  function end(): void {
    if (pending === null) return;
    const { split, samples, x, y } = pending;
    pending = null;
    files.sync(fileOf(split, 'x'));
    files.sync(fileOf(split, 'y'));
    const { planned, skipped } = settled[split];
    const hashes = { x_sha256: x.digest('hex'), y_sha256: y.digest('hex') };
    journal.append({ split, samples, planned, skipped, ...hashes } satisfies Shard);
    journal.sync();
  }

  return {
    settled: settled as Readonly<Record<Split, Settled>>,
    append(split: Split, count: number, ids: Uint8Array, targets: Uint8Array, now: Settled): void {
      if (pending !== null && pending.split !== split) end();
      pending ??= { split, samples: 0, x: createHash('sha256'), y: createHash('sha256') };
      files.append(fileOf(split, 'x'), ids);
      files.append(fileOf(split, 'y'), targets);
      pending.x.update(ids);
      pending.y.update(targets);
      pending.samples += count;
      settled[split] = now;
      if (pending.samples >= SHARD_SAMPLES) end();
    },
    end,
  };
}

function writeMetadata(
  file: string,
  numSamples: number,
  skipped: number,
  { blockSize, tokenization, provenance = {} }: RewardDatasetOptions,
  ops: FileOperations,
): void {
  const facts = { numSamples, blockSize, tokenization, provenance: { ...provenance, skipped_samples: skipped } };
  const text = formatRewardMetadata(facts);
  onFile(file, 'write', () => {
    ops.remove(file); // of an attempt that was interrupted here
    writeNewFile(file, text, ops);
  });
}

/** The shards that this run can resume after; none to begin anew. */
function keptShards(
  dir: string,
  partial: string,
  fileOf: PlaceOf,
  options: RewardDatasetOptions,
  ops: FileOperations,
): Shard[] {
  const { settings, overwrite = false } = options;
  const unfinished = readJournal(partial, ops);
  if (unfinished === null || unfinished.shards.length === 0) return [];
  const different = differences(unfinished.settings, settings);
  if (different.length === 0) return wholeShards(unfinished.shards, fileOf, bytesPerRow(options), ops);
  if (overwrite) return [];
  throw new UserError({
    code: 'exists',
    message: localized('datasets.begun_other_settings_finished', { dir, different: different.join('; ') }),
    hint: localized('datasets.use_those_settings_resume_begin'),
    field: 'output_dir',
  });
}

/** Gives the finished folder its name, in place of a dataset that had it. */
function replaceWith(folder: string, target: string, ops: FileOperations): void {
  const write = beginWrite();
  try {
    onFile(target, 'write', () => takePlace(folder, target, `${target}.old-${write.mark}`, ops));
  } finally {
    write.finish();
    cleanUp(path.dirname(target), path.basename(target), ops); // what was moved aside goes, or comes back
  }
}

function refuseToReplace(target: string, dir: string, overwrite: boolean, ops: FileOperations): void {
  const kind = onFile(dir, 'write', () => ops.kind(target));
  if (kind === 'none') return;
  const inside = kind === 'folder' ? onFile(dir, 'read', () => ops.list(target)) : [];
  if (kind === 'folder' && inside.length === 0) return;
  const ours = new Set(splits.flatMap((split) => Object.values(namesOf(split))));
  const foreign = kind === 'folder' ? inside.filter((name) => !ours.has(name)) : [path.basename(target)];
  if (foreign.length > 0) {
    throw new UserError({
      code: 'exists',
      message: localized('datasets.holds_something_other_reward_dataset', {
        dir,
        foreign: foreign.slice(0, 3).join(', '),
      }),
      hint: localized('datasets.choose_another_folder_output_dir'),
      field: 'output_dir',
    });
  }
  if (overwrite) return;
  throw new UserError({
    code: 'exists',
    message: localized('datasets.there_reward_dataset_already', { dir }),
    hint: localized('datasets.choose_another_folder_output_dir_2'),
    field: 'output_dir',
  });
}

/**
 * Finishes what a crash interrupted in finishing a dataset: one that was moved aside comes back, and what is left beside
 * one that has its place goes.
 */
export function recoverRewardDataset(dir: string, ops: FileOperations = nodeFileOperations): void {
  const target = path.resolve(dir);
  const partial = `${target}.partial`;
  recover(path.dirname(target), path.basename(target), ops);
  onFile(partial, 'write', () => {
    if (ops.kind(partial) !== 'folder' || ops.kind(path.join(partial, 'dataset')) !== 'none') return;
    if (lockHolder(partial, ops) === null) clearUp(partial, ops);
  });
}

/** Removes what is left of an unfinished dataset, where it is nothing but ours. */
function clearUp(partial: string, ops: FileOperations): void {
  onFile(partial, 'write', () => {
    if (foreignIn(partial, ops).length === 0) ops.remove(partial);
  });
}

function foreignIn(partial: string, ops: FileOperations): string[] {
  const kind = ops.kind(partial);
  if (kind !== 'folder') return kind === 'none' ? [] : [path.basename(partial)];
  return ops.list(partial).filter((name) => !/^(dataset|journal\.jsonl|lock(\..+)?)$/.test(name));
}

/** The folder beside the dataset must be ours, or not there. */
function refuseForeign(partial: string, ops: FileOperations): void {
  const foreign = onFile(partial, 'read', () => foreignIn(partial, ops));
  if (foreign.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: localized('datasets.holds_something_other_unfinished_reward', {
      partial,
      foreign: foreign.slice(0, 3).join(', '),
    }),
    hint: localized('datasets.move_away_choose_another_folder'),
    field: 'output_dir',
  });
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // The failure that matters is on its way already.
  }
}
