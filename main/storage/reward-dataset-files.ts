/**
 * The seeds' reward dataset on disk: train_x.bin, train_y.bin, train_metadata.txt and the same for val, in one folder.
 * It is written batch by batch under a temporary name and appears whole or not at all; it is read by position.
 */
import { endianness } from 'node:os';
import * as path from 'node:path';
import { UserError } from '../../shared/errors.js';
import { checkRange } from '../engine/dataset.js';
import {
  checkBlockSize,
  checkTokenization,
  formatRewardMetadata,
  formatRewardReport,
  parseRewardMetadata,
  type RewardStats,
  TargetStatistics,
} from '../engine/reward-dataset.js';
import type { TokenizationInfo, TokenizationMethod } from '../engine/tokenizer/types.js';
import type { RewardSamples } from '../engine/types.js';
import { recover } from './atomic.js';
import { type OpenFile, openFile, readText } from './file-bytes.js';
import { onFile } from './file-errors.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { type StagedFile, stageFile, stageFolder } from './staged.js';
import { openTokenFile, tokenBytes, type TokenFile } from './token-files.js';

export type Split = 'train' | 'val';
const splits: readonly Split[] = ['train', 'val'];
const SCAN_SAMPLES = 1 << 16;

const namesOf = (split: Split) => ({ x: `${split}_x.bin`, y: `${split}_y.bin`, metadata: `${split}_metadata.txt` });

export interface RewardDatasetWriter {
  /**
   * @param x (n, blockSize) token ids
   * @param y (n, 2) probabilities: natural, generated
   */
  append(split: Split, x: Uint16Array, y: Float32Array): void;
  /** Writes the metadata and gives the dataset its name. */
  finish(): void;
  /** Leaves nothing behind; nothing happens after `finish`. */
  abort(): void;
}

/**
 * Begins a dataset. Nothing is seen at `dir` until `finish`.
 * @param options.overwrite whether a dataset that is already there may be replaced
 * @throws UserError `exists`, `disk_full`, `file_not_writable`
 */
export function createRewardDatasetWriter(
  dir: string,
  options: { readonly blockSize: number; readonly tokenization: TokenizationInfo; readonly overwrite?: boolean },
  ops: FileOperations = nodeFileOperations,
): RewardDatasetWriter {
  const { blockSize, tokenization, overwrite = false } = options;
  const target = path.resolve(dir);
  recover(path.dirname(target), path.basename(target), ops); // a dataset that a crash had moved aside comes back first
  refuseToReplace(target, dir, overwrite, ops);
  const folder = stageFolder(target, ops);
  const files: StagedFile[] = [];
  const stage = (name: string): StagedFile => {
    const file = stageFile(path.join(folder.path, name), ops);
    files.push(file);
    return file;
  };
  let isOpen = true;
  const abort = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const file of files) file.abort();
    folder.abort();
  };
  /** Whatever fails, nothing half-written stays. */
  const orAbort = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      abort();
      throw error;
    }
  };

  const parts = orAbort(() => {
    const part = (split: Split) => ({ x: stage(namesOf(split).x), y: stage(namesOf(split).y), samples: 0 });
    return { train: part('train'), val: part('val') };
  });
  return {
    append(split, x, y) {
      const samples = y.length / 2;
      if (x.length !== samples * blockSize || !Number.isInteger(samples)) {
        throw new RangeError(`${x.length} ids and ${y.length} probabilities do not make samples of ${blockSize}`);
      }
      orAbort(() => {
        parts[split].x.write(tokenBytes(x));
        parts[split].y.write(floatBytes(y));
      });
      parts[split].samples += samples;
    },
    finish() {
      orAbort(() => {
        for (const split of splits) {
          const metadata = formatRewardMetadata({ numSamples: parts[split].samples, blockSize, tokenization });
          stage(namesOf(split).metadata).write(Buffer.from(metadata));
        }
        for (const file of files) file.commit();
        folder.commit();
      });
      isOpen = false;
    },
    abort,
  };
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
      message: `${dir} holds something other than a reward dataset: ${foreign.slice(0, 3).join(', ')}`,
      hint: 'Choose another folder with --output_dir; this one is not touched.',
      field: 'output_dir',
    });
  }
  if (overwrite) return;
  throw new UserError({
    code: 'exists',
    message: `There is a reward dataset already: ${dir}`,
    hint: 'Choose another folder with --output_dir, or replace this one with --overwrite.',
    field: 'output_dir',
  });
}

export interface RewardDataset extends RewardSamples {
  readonly tokenization: TokenizationInfo;
  /** The seeds' get_stats. */
  stats(): RewardStats;
  close(): void;
}

/**
 * Opens one split of a reward dataset and checks it: metadata, file sizes, targets, token ids. `close` it.
 * @param options.expectedTokenization what the model uses; another is an error
 * @param options.expectedBlockSize the model's context; another is an error
 * @throws UserError `file_not_found`, `file_damaged`, `binary_file`, `tokenization_mismatch`
 */
export function openRewardDataset(
  dir: string,
  split: Split,
  options: {
    readonly expectedTokenization?: { readonly method: TokenizationMethod; readonly vocabSize?: number };
    readonly expectedBlockSize?: number;
  } = {},
): RewardDataset {
  const names = namesOf(split);
  const at = (name: string): string => path.join(dir, name);
  for (const name of Object.values(names)) requireFile(at(name), dir);
  const metadata = parseRewardMetadata(readText(at(names.metadata)), at(names.metadata));
  const { numSamples, blockSize, tokenization } = metadata;
  if (options.expectedTokenization !== undefined) checkTokenization(tokenization, options.expectedTokenization);
  if (options.expectedBlockSize !== undefined) checkBlockSize(blockSize, options.expectedBlockSize);

  const yFile = openFile(at(names.y));
  let xFile: TokenFile | null = null;
  try {
    checkSize(at(names.y), yFile.byteLength, 8 * numSamples, `${numSamples} pairs of float32`);
    const xSize = sizeOf(at(names.x));
    checkSize(at(names.x), xSize, 2 * numSamples * blockSize, `${numSamples} × ${blockSize} uint16`);
    if (numSamples > 0) xFile = openTokenFile(at(names.x), { vocabSize: tokenization.vocabSize });
    const x = xFile;
    const readY = (first: number, count: number): Float32Array => {
      checkRange(first, count, numSamples);
      return readFloats(yFile, 2 * first, 2 * count);
    };
    const statistics = new TargetStatistics(at(names.y));
    for (let first = 0; first < numSamples; first += SCAN_SAMPLES) {
      statistics.add(readY(first, Math.min(SCAN_SAMPLES, numSamples - first)));
    }
    const stats = statistics.finish(metadata);
    return {
      numSamples,
      blockSize,
      tokenization,
      x(first, count) {
        checkRange(first, count, numSamples);
        return x === null ? new Uint16Array(0) : x.read(first * blockSize, count * blockSize);
      },
      y: readY,
      stats: () => stats,
      close() {
        yFile.close();
        x?.close();
      },
    };
  } catch (error) {
    yFile.close();
    xFile?.close();
    throw error;
  }
}

/**
 * The report that `dataset_info` prints: both splits and whether they agree.
 * @throws UserError when one of them cannot be opened
 */
export function describeRewardDataset(dir: string): string {
  const [train, val] = splits.map((split) => {
    const dataset = openRewardDataset(dir, split);
    dataset.close();
    return dataset.stats();
  }) as [RewardStats, RewardStats];
  return formatRewardReport(dir, train, val);
}

function requireFile(file: string, dir: string): void {
  if (onFile(file, 'read', () => nodeFileOperations.kind(file)) === 'file') return;
  const isDataset = onFile(dir, 'read', () => nodeFileOperations.kind(dir)) === 'folder';
  throw new UserError({
    code: 'file_not_found',
    message: isDataset ? `Reward dataset file not found: ${file}` : `Reward dataset not found: ${dir}`,
    hint: 'Check the path, or make the dataset with prepare_reward_data.',
    field: 'data_dir',
  });
}

function checkSize(file: string, size: number, expected: number, what: string): void {
  if (size === expected) return;
  throw new UserError({
    code: 'file_damaged',
    message: `${file} has ${size} bytes; its metadata promises ${expected} (${what})`,
    hint: 'The file was cut short or belongs to another dataset; make the dataset again with prepare_reward_data.',
  });
}

function sizeOf(file: string): number {
  const open = openFile(file);
  open.close();
  return open.byteLength;
}

function readFloats(file: OpenFile, first: number, count: number): Float32Array {
  const values = new Float32Array(count);
  file.read(4 * first, new Uint8Array(values.buffer));
  return littleEndianFloats(values);
}

function floatBytes(values: Float32Array): Uint8Array {
  return new Uint8Array(littleEndianFloats(values.slice()).buffer);
}

/** Between the file's byte order and the machine's, in place. */
function littleEndianFloats(values: Float32Array): Float32Array {
  if (endianness() === 'BE') Buffer.from(values.buffer, values.byteOffset, values.byteLength).swap32();
  return values;
}
