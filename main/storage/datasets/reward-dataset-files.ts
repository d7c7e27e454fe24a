/** Opens the specification's reward dataset by position and checks it. Numbers are little-endian, as every supported machine's. */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import type { Split } from '../../engine/reward/reward-data.js';
import { bytesPerId, type TokenizationInfo, type TokenizationMethod } from '../../engine/tokenizer/types.js';
import { checkRange } from '../../engine/train/dataset.js';
import type { RewardSamples } from '../../engine/types.js';
import {
  checkBlockSize,
  checkTokenization,
  parseRewardMetadata,
  type RewardMetadata,
  type RewardStats,
  TargetStatistics,
} from '../../formats/reward-dataset.js';
import { fileSize, type OpenFile, openFile, readText, withFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { openTokenFile, roomFor, type TokenFile } from './token-files.js';

export type { Split } from '../../engine/reward/reward-data.js';

export const splits: readonly Split[] = ['train', 'val'];

export const namesOf = (split: Split) => ({
  x: `${split}_x.bin`,
  y: `${split}_y.bin`,
  metadata: `${split}_metadata.txt`,
});

const fileIn = (dir: string, split: Split, part: 'x' | 'y' | 'metadata'): string =>
  path.join(dir, namesOf(split)[part]);

const SCAN_SAMPLES = 1 << 16;
const MAX_METADATA = 1 << 20;

export interface RewardDataset extends RewardSamples {
  readonly tokenization: TokenizationInfo;
  stats(): RewardStats;
  tokenizationInfo(): TokenizationInfo;
  close(): void;
}

export interface OpenRewardDatasetOptions {
  readonly expectedTokenization?: { readonly method: TokenizationMethod; readonly vocabSize?: number };
  readonly expectedBlockSize?: number;
}

/** Opens and checks one split; `close` it. @throws UserError `file_not_found`, `file_damaged`, `binary_file`, `tokenization_mismatch` */
export function openRewardDataset(dir: string, split: Split, options: OpenRewardDatasetOptions = {}): RewardDataset {
  const metadata = readRewardMetadata(dir, split);
  const { numSamples, blockSize, tokenization } = metadata;
  if (options.expectedTokenization !== undefined) checkTokenization(tokenization, options.expectedTokenization);
  if (options.expectedBlockSize !== undefined) checkBlockSize(blockSize, options.expectedBlockSize);
  checkRewardFiles(dir, split, metadata);
  const yFile = openFile(fileIn(dir, split, 'y'));
  let xFile: TokenFile | null = null;
  const close = (): void => {
    yFile.close();
    xFile?.close();
  };
  try {
    if (numSamples > 0) xFile = openTokenFile(fileIn(dir, split, 'x'), idsOf(tokenization));
    const x = xFile;
    const stats = scanTargets(dir, split, metadata);
    return {
      numSamples,
      blockSize,
      tokenization,
      x(first, count) {
        checkRange(first, count, numSamples);
        if (x === null) return roomFor(0, bytesPerId(tokenization.vocabSize));
        return x.read(first * blockSize, count * blockSize);
      },
      y(first, count) {
        checkRange(first, count, numSamples);
        return readFloats(yFile, 2 * first, 2 * count);
      },
      stats: () => stats,
      tokenizationInfo: () => tokenization,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

const idsOf = ({ vocabSize }: TokenizationInfo) => ({ vocabSize, bytesPerId: bytesPerId(vocabSize) });

/** @throws UserError `file_not_found`, `file_damaged` */
export function readRewardMetadata(dir: string, split: Split): RewardMetadata {
  const file = fileIn(dir, split, 'metadata');
  requireFile(file, dir);
  return parseRewardMetadata(readText(file, nodeFileOperations, MAX_METADATA), file);
}

/** Checks that the files of a split have the sizes that its metadata promises. @throws UserError */
export function checkRewardFiles(
  dir: string,
  split: Split,
  { numSamples, blockSize, tokenization }: RewardMetadata,
): void {
  const width = bytesPerId(tokenization.vocabSize);
  const [x, y] = [fileIn(dir, split, 'x'), fileIn(dir, split, 'y')];
  requireFile(x, dir);
  requireFile(y, dir);
  checkSize(y, 8 * numSamples, `${numSamples} × 2 float32`);
  checkSize(x, width * numSamples * blockSize, `${numSamples} × ${blockSize} uint${8 * width}`);
}

function checkSize(file: string, expected: number, what: string): void {
  const size = fileSize(file);
  if (size === expected) return;
  throw new UserError({
    code: 'file_damaged',
    message: localized('datasets.bytes_metadata_promises', { file, size, expected, what }),
    hint: localized('datasets.file_cut_short_belongs_another'),
  });
}

/** Reads every target. @throws UserError `file_damaged` naming the first that is no pair of probabilities */
export function scanTargets(dir: string, split: Split, metadata: RewardMetadata): RewardStats {
  const file = fileIn(dir, split, 'y');
  const { numSamples } = metadata;
  return withFile(file, (source) => {
    const statistics = new TargetStatistics(file);
    for (let first = 0; first < numSamples; first += SCAN_SAMPLES) {
      statistics.add(readFloats(source, 2 * first, 2 * Math.min(SCAN_SAMPLES, numSamples - first)));
    }
    return statistics.finish(metadata);
  });
}

/** Reads every token. @throws UserError `binary_file` naming the first that is in no vocabulary */
export function scanTokens(dir: string, split: Split, { numSamples, tokenization }: RewardMetadata): void {
  if (numSamples > 0) openTokenFile(fileIn(dir, split, 'x'), { ...idsOf(tokenization), split }).close();
}

function requireFile(file: string, dir: string): void {
  if (kindAt(file) === 'file') return;
  throw new UserError({
    code: 'file_not_found',
    message:
      kindAt(dir) === 'folder'
        ? localized('datasets.reward_dataset_file_found', { file })
        : localized('datasets.reward_dataset_found', { dir }),
    hint: localized('datasets.check_path_make_dataset_prepare'),
    field: 'data_dir',
  });
}

function readFloats(file: OpenFile, first: number, count: number): Float32Array {
  const values = new Float32Array(count);
  file.read(4 * first, new Uint8Array(values.buffer));
  return values;
}
