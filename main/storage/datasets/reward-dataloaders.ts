/** Implements create_reward_dataloaders (specification 3.7): batches of samples, shuffled by seed and epoch. */
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { permutation, streams } from '../../engine/rng.js';
import { bytesPerId } from '../../engine/tokenizer/types.js';
import { openRewardDataset, type OpenRewardDatasetOptions, type RewardDataset } from './reward-dataset-files.js';
import { roomFor } from './token-files.js';

interface DataloaderOptions extends Pick<OpenRewardDatasetOptions, 'expectedTokenization'> {
  readonly batchSize?: number;
  readonly seed?: number;
}

/** Opens both splits; `close` them. @throws UserError of `openRewardDataset`; `tokenization_mismatch` between splits */
export function createRewardDataloaders(dir: string, options: DataloaderOptions = {}) {
  const { batchSize = 32, seed = 42, ...expected } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1) throw new RangeError(`a batch of ${batchSize} samples`);
  const opened: RewardDataset[] = [];
  const close = (): void => opened.forEach((dataset) => dataset.close());
  const open = (split: 'train' | 'val'): RewardDataset => {
    const dataset = openRewardDataset(dir, split, expected);
    opened.push(dataset);
    return dataset;
  };
  try {
    const [train, val] = [open('train'), open('val')];
    checkConsistent(train, val);
    const inOrder = Uint32Array.from({ length: val.numSamples }, (_, row) => row);
    return {
      train: createLoader(train, batchSize, (epoch) => permutation(seed, streams.shuffle, epoch, train.numSamples)),
      val: createLoader(val, batchSize, () => inOrder),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function checkConsistent(train: RewardDataset, val: RewardDataset): void {
  const [a, b] = [train, val].map(({ tokenization: { method, vocabSize } }) => `${method} (vocab_size=${vocabSize})`);
  if (a === b && train.blockSize === val.blockSize) return;
  throw new UserError({
    code: 'tokenization_mismatch',
    message:
      a === b
        ? localized('datasets.block_size_mismatch_train_val', { train: train.blockSize, val: val.blockSize })
        : localized('datasets.tokenization_mismatch_detected_train_vocab', { train: a, val: b }),
    hint: localized('datasets.splits_come_different_datasets_make'),
  });
}

export type RewardDataLoader = ReturnType<typeof createLoader>;

function createLoader(dataset: RewardDataset, batchSize: number, orderOf: (epoch: number) => Uint32Array) {
  const { blockSize, numSamples, tokenization } = dataset;
  /** Reads (size, blockSize) ids and (size, 2) probabilities: natural, generated. */
  const read = (rows: Uint32Array) => {
    const x = roomFor(rows.length * blockSize, bytesPerId(tokenization.vocabSize));
    const y = new Float32Array(rows.length * 2);
    rows.forEach((row, place) => {
      x.set(dataset.x(row, 1), place * blockSize);
      y.set(dataset.y(row, 1), place * 2);
    });
    return { size: rows.length, x, y };
  };
  return {
    dataset,
    batchSize,
    length: Math.ceil(numSamples / batchSize),
    /** Yields the batches of one pass, every sample once; the last may have fewer. */
    *epoch(epoch: number) {
      const order = orderOf(epoch);
      for (let first = 0; first < numSamples; first += batchSize) yield read(order.subarray(first, first + batchSize));
    },
  };
}
