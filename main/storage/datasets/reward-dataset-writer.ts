/**
 * Writes the specification's reward dataset: train_x.bin, train_y.bin, train_metadata.txt and the same for val. It grows
 * next to its place and appears there complete or not at all. After a stop or a crash, a run with the same settings
 * resumes after the last samples that were synced, to the same bytes:
 *
 *     <dir>.partial/dataset/       the files so far
 *                   progress.json  settings, and how many samples are synced
 *                   lock/          the process that writes
 */
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { Settled, Split } from '../../engine/reward/reward-data.js';
import { bytesPerId, type TokenizationInfo } from '../../engine/tokenizer/types.js';
import type { Json, TokenIds } from '../../engine/types.js';
import { formatRewardMetadata, type Provenance } from '../../formats/reward-dataset.js';
import { stableJson } from '../../formats/stable-json.js';
import { beginWrite, ensureFolder, recover, takePlace } from '../disk/atomic.js';
import { fileSize, writeAll, writeNewFile } from '../disk/file-bytes.js';
import { type FileOperations, kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { acquireLock, lockHolder, type ProjectLock } from '../disk/lock.js';
import { namesOf, splits } from './reward-dataset-files.js';
import { tokenBytes } from './token-files.js';

/** Samples synced together; a crash costs no more. */
const SHARD_SAMPLES = 256;
const PROGRESS = 'progress.json';

export interface RewardDatasetOptions {
  readonly blockSize: number;
  readonly tokenization: TokenizationInfo;
  /** Settings on which the samples depend: only a run with the same ones resumes. */
  readonly settings: Readonly<Record<string, Json>>;
  readonly provenance?: Provenance;
  /** Whether an existing dataset, or an unfinished one of other settings, may be replaced. */
  readonly overwrite?: boolean;
}

const countsSchema = z.object({ samples: z.int().min(0), planned: z.int().min(0), skipped: z.int().min(0) });
const progressSchema = z.object({
  format_version: z.literal(1),
  settings: z.record(z.string(), z.json()),
  train: countsSchema,
  val: countsSchema,
});
type Counts = Readonly<Record<Split, z.infer<typeof countsSchema>>>;
const none = { samples: 0, planned: 0, skipped: 0 };

/** Starts or resumes a dataset, which appears at `dir` on `finish`. @throws UserError `exists`, `locked`, `disk_full`, `file_not_writable` */
export function createRewardDatasetWriter(
  dir: string,
  options: RewardDatasetOptions,
  ops = nodeFileOperations,
): RewardDatasetWriter {
  recoverRewardDataset(dir, ops);
  refuseToReplace(dir, options.overwrite ?? false, ops);
  const partial = partialOf(dir);
  refuseForeign(partial, ops);
  ensureFolder(partial, ops);
  const writer = new RewardDatasetWriter(dir, options, ops, acquireLock(partial, 'prepare_reward_data', ops));
  try {
    writer.open();
  } catch (error) {
    quietly(() => writer.abandon());
    throw error;
  }
  return writer;
}

const partialOf = (dir: string): string => `${path.resolve(dir)}.partial`;

/** Files of an unfinished dataset, which only grow, and its progress. */
export class RewardDatasetWriter {
  /** Progress of an earlier run: the next samples come after these. */
  settled: Readonly<Record<Split, Settled>> = { train: none, val: none };
  private counts: Counts = { train: none, val: none };
  private synced = this.counts;
  private isOpen = true;
  private readonly handles = new Map<string, number>();
  private readonly partial: string;
  private readonly folder: string;
  private readonly progress: string;
  private readonly width: ReturnType<typeof bytesPerId>;

  constructor(
    private readonly dir: string,
    private readonly options: RewardDatasetOptions,
    private readonly ops: FileOperations,
    private readonly lock: ProjectLock,
  ) {
    this.partial = partialOf(dir);
    this.folder = path.join(this.partial, 'dataset');
    this.progress = path.join(this.partial, PROGRESS);
    this.width = bytesPerId(options.tokenization.vocabSize);
  }

  /** Opens the files as far as they can be resumed. @throws UserError `exists` for progress of other settings */
  open(): void {
    const { ops, folder } = this;
    this.settled = this.synced = this.counts = this.storedCounts();
    if (this.counts.train.samples + this.counts.val.samples === 0) {
      for (const file of [folder, this.progress]) onFile(file, 'write', () => ops.remove(file));
    }
    ensureFolder(folder, ops);
    for (const [file, length] of this.lengths(this.counts)) {
      onFile(file, 'write', () => {
        const handle = ops.open(file, 'a');
        this.handles.set(file, handle);
        ops.truncate(handle, length); // removes what a crash left after it
      });
    }
    onFile(folder, 'write', () => ops.syncFolder(folder));
  }

  /** @param x (n, blockSize) ids. @param y (n, 2) natural, generated. @param settled progress with these; omit if none was skipped */
  append(split: Split, x: TokenIds, y: Float32Array, settled?: Settled): void {
    const count = y.length / 2;
    if (x.length !== count * this.options.blockSize || !Number.isInteger(count)) {
      throw new RangeError(`${x.length} ids and ${y.length} probabilities do not make whole samples`);
    }
    this.write(this.fileOf(split, 'x'), tokenBytes(x, this.width));
    this.write(this.fileOf(split, 'y'), new Uint8Array(y.buffer, y.byteOffset, y.byteLength));
    const previous = this.counts[split];
    const { planned, skipped } = settled ?? { planned: previous.planned + count, skipped: previous.skipped };
    this.counts = { ...this.counts, [split]: { samples: previous.samples + count, planned, skipped } };
    const pending = splits.reduce((sum, one) => sum + this.counts[one].samples - this.synced[one].samples, 0);
    if (pending >= SHARD_SAMPLES) this.sync();
  }

  /** Writes the metadata and gives the dataset its name. */
  finish(): void {
    const { ops, partial } = this;
    const { blockSize, tokenization, provenance = {} } = this.options;
    this.sync();
    for (const split of splits) {
      const { samples: numSamples, skipped } = this.counts[split];
      const facts = { numSamples, blockSize, tokenization, provenance: { ...provenance, skipped_samples: skipped } };
      const file = path.join(this.folder, namesOf(split).metadata);
      onFile(file, 'write', () => {
        ops.remove(file); // left by an interrupted attempt
        writeNewFile(file, formatRewardMetadata(facts), ops);
      });
    }
    for (const [file, handle] of [...this.handles]) {
      this.handles.delete(file);
      onFile(file, 'write', () => ops.close(handle));
    }
    const write = beginWrite(this.dir, ops);
    try {
      onFile(write.target, 'write', () => takePlace(this.folder, write, ops));
    } finally {
      write.end();
    }
    this.isOpen = false;
    this.lock.release();
    onFile(partial, 'write', () => ops.remove(partial));
  }

  /** Stops; a later run with the same settings resumes. Does nothing after `finish`. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    // A failure here must not hide the one before it; progress only counts what is synced.
    quietly(() => this.sync());
    quietly(() => this.abandon());
  }

  abandon(): void {
    for (const handle of this.handles.values()) quietly(() => this.ops.close(handle));
    this.handles.clear();
    this.lock.release();
    if (this.ops.kind(this.progress) === 'none') this.ops.remove(this.partial); // nothing in it can be resumed
  }

  /** Syncs the samples, and only then counts them as progress. */
  private sync(): void {
    const { counts, ops } = this;
    if (counts === this.synced) return;
    for (const [file, handle] of this.handles) onFile(file, 'write', () => ops.sync(handle));
    writeJson(this.progress, { format_version: 1, settings: this.options.settings, ...counts }, ops);
    this.synced = counts;
  }

  private storedCounts(): Counts {
    const { options, ops, dir } = this;
    const stored = readJson(this.progress, progressSchema, { ops });
    if (stored === null) return this.counts;
    const different = differences(stored.settings, options.settings);
    if (different.length > 0 && options.overwrite !== true) {
      throw occupied(
        localized('datasets.begun_other_settings_finished', { dir, different }),
        localized('datasets.use_those_settings_resume_begin'),
      );
    }
    const isComplete = this.lengths(stored).every(
      ([file, length]) => kindAt(file, ops) === 'file' && fileSize(file, ops) >= length,
    );
    return different.length === 0 && isComplete ? { train: stored.train, val: stored.val } : this.counts;
  }

  private fileOf(split: Split, part: 'x' | 'y'): string {
    return path.join(this.folder, namesOf(split)[part]);
  }

  private lengths(counts: Counts): (readonly [file: string, length: number])[] {
    const row = this.width * this.options.blockSize;
    return splits.flatMap((split) => [
      [this.fileOf(split, 'x'), row * counts[split].samples] as const,
      [this.fileOf(split, 'y'), 8 * counts[split].samples] as const,
    ]);
  }

  private write(file: string, bytes: Uint8Array): void {
    const handle = this.handles.get(file);
    if (handle === undefined) throw new Error('the dataset is closed');
    onFile(file, 'write', () => writeAll(handle, bytes, this.ops));
  }
}

function differences(stored: Readonly<Record<string, Json>>, current: Readonly<Record<string, Json>>): Message[] {
  const keys = [...new Set([...Object.keys(stored), ...Object.keys(current)])];
  const word = (value: Json | undefined): string => (typeof value === 'string' ? value : stableJson(value ?? null));
  return keys
    .filter((key) => stableJson(stored[key] ?? null) !== stableJson(current[key] ?? null))
    .map((key) => {
      const [before, now] = [word(stored[key]), word(current[key])];
      return localized('datasets.different_setting', { key, before, now });
    });
}

function refuseToReplace(dir: string, overwrite: boolean, ops: FileOperations): void {
  const kind = onFile(dir, 'write', () => ops.kind(dir));
  if (kind === 'none') return;
  const inside = kind === 'folder' ? onFile(dir, 'read', () => ops.list(dir)) : [];
  if (kind === 'folder' && inside.length === 0) return;
  const ours = new Set(splits.flatMap((split) => Object.values(namesOf(split))));
  const foreign = kind === 'folder' ? inside.filter((name) => !ours.has(name)) : [path.basename(dir)];
  if (foreign.length > 0) {
    throw occupied(
      localized('datasets.holds_something_other_reward_dataset', { dir, foreign: shown(foreign) }),
      localized('datasets.choose_another_folder_output_dir'),
    );
  }
  if (overwrite) return;
  throw occupied(
    localized('datasets.there_reward_dataset_already', { dir }),
    localized('datasets.choose_another_output_dir'),
  );
}

const shown = (names: readonly string[]): string => names.slice(0, 3).join(', ');

/** Completes a `finish` that a crash interrupted: restores a dataset that was moved aside, and removes leftovers. */
export function recoverRewardDataset(dir: string, ops = nodeFileOperations): void {
  const target = path.resolve(dir);
  const partial = partialOf(dir);
  recover(path.dirname(target), path.basename(target), ops);
  onFile(partial, 'write', () => {
    if (ops.kind(partial) !== 'folder' || ops.kind(path.join(partial, 'dataset')) !== 'none') return;
    if (lockHolder(partial, ops) === null && foreignIn(partial, ops).length === 0) ops.remove(partial);
  });
}

function foreignIn(partial: string, ops: FileOperations): string[] {
  const kind = ops.kind(partial);
  if (kind !== 'folder') return kind === 'none' ? [] : [path.basename(partial)];
  return ops.list(partial).filter((name) => !/^(dataset|journal\.jsonl|progress\.json.*|lock(\..+)?)$/.test(name));
}

function refuseForeign(partial: string, ops: FileOperations): void {
  const foreign = onFile(partial, 'read', () => foreignIn(partial, ops));
  if (foreign.length === 0) return;
  throw occupied(
    localized('datasets.holds_something_other_unfinished_reward', { partial, foreign: shown(foreign) }),
    localized('datasets.move_away_choose_another_folder'),
  );
}

const occupied = (message: Message, hint: Message): UserError =>
  new UserError({ code: 'exists', message, hint, field: 'output_dir' });

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // The first failure is the one to report.
  }
}
