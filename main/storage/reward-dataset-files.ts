/**
 * The seeds' reward dataset, read by position: train_x.bin, train_y.bin, train_metadata.txt and the same for val, in one
 * folder. What is wrong with one is found when it is opened.
 */
import * as path from 'node:path';
import { UserError } from '../../shared/errors.js';
import { checkRange } from '../engine/dataset.js';
import {
  checkBlockSize,
  checkTokenization,
  formatRewardReport,
  parseRewardMetadata,
  type RewardStats,
  TargetStatistics,
} from '../engine/reward-dataset.js';
import type { TokenizationInfo, TokenizationMethod } from '../engine/tokenizer/types.js';
import type { RewardSamples } from '../engine/types.js';
import { type OpenFile, openFile, readText } from './file-bytes.js';
import { onFile } from './file-errors.js';
import { nodeFileOperations } from './file-operations.js';
import { littleEndianFloats, namesOf, type Split, splits } from './reward-dataset-names.js';
import { openTokenFile, type TokenFile } from './token-files.js';

export {
  createRewardDatasetWriter,
  type RewardDatasetOptions,
  type RewardDatasetWriter,
} from './reward-dataset-writer.js';
export type { Split } from './reward-dataset-names.js';

const SCAN_SAMPLES = 1 << 16;

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
