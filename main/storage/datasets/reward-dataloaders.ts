/** Implements create_reward_dataloaders (specification 3.7): shuffled by seed and epoch, with prefetch. */
import { localized } from '../../../shared/messages/message.js';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { permutation, streams } from '../../engine/rng.js';
import { bytesPerId, type TokenizationMethod } from '../../engine/tokenizer/types.js';
import type { TokenIds } from '../../engine/types.js';
import { openRewardDataset, type RewardDataset } from './reward-dataset-files.js';
import { namesOf, type Split } from './reward-dataset-names.js';
import { roomFor } from './token-files.js';

export interface RewardBatch {
  /** How many samples; the last batch of an epoch may have fewer than the others. */
  readonly size: number;
  /** (size, blockSize) token ids. */
  readonly x: TokenIds;
  /** (size, 2) probabilities: natural, generated. */
  readonly y: Float32Array;
}

export interface RewardDataLoader {
  readonly dataset: RewardDataset;
  readonly batchSize: number;
  readonly length: number;
  /** The batches of one pass over the samples, every sample once. */
  epoch(epoch: number): AsyncGenerator<RewardBatch, void, undefined>;
}

interface RewardDataloaders {
  readonly train: RewardDataLoader;
  readonly val: RewardDataLoader;
  close(): void;
}

interface DataloaderOptions {
  readonly batchSize?: number;
  readonly prefetch?: number;
  readonly seed?: number;
  readonly expectedTokenization?: { readonly method: TokenizationMethod; readonly vocabSize?: number };
}

/** Opens both splits; `close` them. @throws UserError of `openRewardDataset`; `tokenization_mismatch` between splits */
export function createRewardDataloaders(dir: string, options: DataloaderOptions = {}): RewardDataloaders {
  const { expectedTokenization } = options;
  const expected = expectedTokenization === undefined ? {} : { expectedTokenization };
  const train = openRewardDataset(dir, 'train', expected);
  let val: RewardDataset | null = null;
  try {
    val = openRewardDataset(dir, 'val', expected);
    checkConsistent(train, val);
  } catch (error) {
    train.close();
    val?.close();
    throw error;
  }
  const [first, second] = [train, val];
  return {
    train: createLoader(dir, 'train', first, options),
    val: createLoader(dir, 'val', second, options),
    close() {
      first.close();
      second.close();
    },
  };
}

function checkConsistent(train: RewardDataset, val: RewardDataset): void {
  const [a, b] = [train.tokenization, val.tokenization];
  const sameWords = a.method === b.method && a.vocabSize === b.vocabSize;
  if (sameWords && train.blockSize === val.blockSize) return;
  throw new UserError({
    code: 'tokenization_mismatch',
    message: sameWords
      ? localized('datasets.block_size_mismatch_train_val', { blockSize: train.blockSize, blockSize2: val.blockSize })
      : localized('datasets.tokenization_mismatch_detected_train_vocab', {
          method: a.method,
          vocabSize: a.vocabSize,
          method2: b.method,
          vocabSize2: b.vocabSize,
        }),
    hint: localized('datasets.splits_come_different_datasets_make'),
  });
}

function createLoader(dir: string, split: Split, dataset: RewardDataset, options: DataloaderOptions): RewardDataLoader {
  const { batchSize = 32, prefetch = 2, seed = 42 } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1) throw new RangeError(`a batch of ${batchSize} samples`);
  const { numSamples, blockSize } = dataset;
  const width = bytesPerId(dataset.tokenization.vocabSize);
  const bytesPerRow = width * blockSize;
  const names = namesOf(split);
  const length = Math.ceil(numSamples / batchSize);

  async function read(x: fs.FileHandle, y: fs.FileHandle, rows: Uint32Array): Promise<RewardBatch> {
    const ids = roomFor(rows.length * blockSize, width);
    const targets = new Float32Array(rows.length * 2);
    await Promise.all(
      Array.from(rows).flatMap((row, place) => [
        fill(x, new Uint8Array(ids.buffer, bytesPerRow * place, bytesPerRow), bytesPerRow * row),
        fill(y, new Uint8Array(targets.buffer, 8 * place, 8), 8 * row),
      ]),
    );
    return { size: rows.length, x: ids, y: targets };
  }

  return {
    dataset,
    batchSize,
    length,
    async *epoch(epoch) {
      const order =
        split === 'train'
          ? permutation(seed, streams.shuffle, epoch, numSamples)
          : Uint32Array.from({ length: numSamples }, (_, i) => i);
      const x = await fs.open(path.join(dir, names.x));
      const y = await fs.open(path.join(dir, names.y));
      const ahead: Promise<RewardBatch>[] = [];
      try {
        for (let batch = 0, next = 0; batch < length; batch++) {
          for (; next < length && next <= batch + prefetch; next++) {
            const reading = read(x, y, order.subarray(next * batchSize, (next + 1) * batchSize));
            reading.catch(() => undefined); // it is awaited below, or the loop is left
            ahead.push(reading);
          }
          yield (await ahead.shift()) as RewardBatch; // this batch at least has been asked for
        }
      } finally {
        await Promise.allSettled(ahead);
        await Promise.all([x.close(), y.close()]);
      }
    },
  };
}

async function fill(file: fs.FileHandle, into: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < into.byteLength;) {
    const { bytesRead } = await file.read(into, done, into.byteLength - done, position + done);
    if (bytesRead === 0) throw cutShort();
    done += bytesRead;
  }
}

const cutShort = (): UserError =>
  new UserError({
    code: 'file_damaged',
    message: localized('datasets.reward_dataset_cut_short_while'),
    hint: localized('datasets.make_again_prepare_reward_data'),
  });
