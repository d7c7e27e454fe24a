/**
 * What prepare_reward_data says while it works, in the words of specification 3.10. Pure.
 */
import { formatCount } from '../../../shared/base/numbers.js';
import { join } from 'node:path';

type Split = 'train' | 'val';

/** As Python prints it: 1.0 for a whole number. */
const float = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

export const modelWords = (parameters: number): string =>
  `Loaded model with ${(parameters / 1e6).toFixed(2)}M parameters`;

export const dataWords = (data: {
  readonly method: string;
  readonly vocabSize: number;
  readonly train: number;
  readonly val: number;
}): readonly string[] => [
  'Data loaded successfully:',
  `  Tokenization: ${data.method}`,
  `  Vocab size: ${data.vocabSize}`,
  `  Train tokens: ${formatCount(data.train, 'en-US')}`,
  `  Val tokens: ${formatCount(data.val, 'en-US')}`,
];

/** Specification 2.4: what is held out here must not have been trained on there. */
export const otherTextWords =
  'The base model was trained on another text, or on another split of this one: it may know what is held out here, and the reward model would look better than it is. Use the text and the --train_split that it was trained with.';

export const settingsWords = (settings: {
  readonly blockSize: number;
  readonly method: string;
  readonly vocabSize: number;
  readonly samplesPerChunk: number;
  readonly temperature: number;
  readonly topK: number | null;
}): readonly string[] => [
  `Generating reward dataset with block_size=${settings.blockSize}`,
  `Tokenization method: ${settings.method}`,
  `Vocab size: ${settings.vocabSize}`,
  `Samples per chunk: ${settings.samplesPerChunk}`,
  `Temperature: ${float(settings.temperature)}`,
  ...(settings.topK === null ? [] : [`Top-k: ${settings.topK}`]),
];

export const splitTitle = (split: Split): string =>
  `=== Generating ${split === 'train' ? 'Training' : 'Validation'} Samples ===`;

export const createdWords = (samples: number): string =>
  `Created ${formatCount(samples, 'en-US')} reward model samples`;

/** @param dir the folder as the person wrote it */
export function savedWords(
  dir: string,
  blockSize: number,
  samples: Readonly<Record<Split, number>>,
): readonly string[] {
  const of = (split: Split): string[] => [
    `Saved ${split} data:`,
    `  X: ${join(dir, `${split}_x.bin`)} (${samples[split]}, ${blockSize})`,
    `  Y: ${join(dir, `${split}_y.bin`)} (${samples[split]}, 2)`,
  ];
  return [`=== Saving to ${dir} ===`, ...of('train'), ...of('val')];
}

export const completeWords = (dataset: {
  readonly dir: string;
  readonly blockSize: number;
  readonly samples: Readonly<Record<Split, number>>;
  readonly method: string;
  readonly vocabSize: number;
}): readonly string[] => [
  '=== Dataset Creation Complete ===',
  `Training samples: ${formatCount(dataset.samples.train, 'en-US')}`,
  `Validation samples: ${formatCount(dataset.samples.val, 'en-US')}`,
  `Block size: ${dataset.blockSize}`,
  `Output directory: ${dataset.dir}`,
  `Tokenization: ${dataset.method} (vocab_size=${dataset.vocabSize})`,
];
