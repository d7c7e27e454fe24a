/** Formats and checks the specification's reward dataset: metadata (3.5), statistics of get_stats, printed report (3.2.3). */
import { localized, type Message } from '../../shared/messages/message.js';
import { formatCount } from '../../shared/base/numbers.js';
import { UserError } from '../../shared/errors.js';
import { quoted } from './shorten.js';
import { bytesPerId, type TokenizationInfo, type TokenizationMethod } from '../engine/tokenizer/types.js';

/** Facts of how a dataset was made, written as plain `key: value` lines. */
export type Provenance = Readonly<Record<string, string | number | null>>;

export interface RewardMetadata {
  readonly numSamples: number;
  readonly blockSize: number;
  readonly tokenization: TokenizationInfo;
  /** Written by Verisim below the specification's lines; readers of those ignore it. */
  readonly provenance?: Provenance;
  /** Whether the file names no tokenization; GPT-2's is assumed then. */
  readonly tokenizationAssumed?: boolean;
}

/** Raised if an older reader could misread a newer file. */
const rewardFormatVersion = 1;

const idType = (vocabSize: number): string => `uint${8 * bytesPerId(vocabSize)}`;

/** The lines of train_metadata.txt, keys and order as in the specification; what we add comes after them. */
export function formatRewardMetadata({ numSamples, blockSize, tokenization, provenance }: RewardMetadata): string {
  const lines = [
    `num_samples: ${numSamples}`,
    `block_size: ${blockSize}`,
    `x_shape: (${numSamples}, ${blockSize})`,
    `y_shape: (${numSamples}, 2)`,
    `x_dtype: ${idType(tokenization.vocabSize)}`,
    'y_dtype: float32',
    `tokenization_method: ${tokenization.method}`,
    `vocab_size: ${tokenization.vocabSize}`,
  ];
  const metaPath = tokenization.metaPath ?? null;
  if (metaPath !== null) lines.push(`meta_path: ${metaPath}`);
  lines.push(`format_version: ${rewardFormatVersion}`);
  for (const [key, value] of Object.entries(provenance ?? {})) {
    // One line, without ": ", at which a reader may split.
    lines.push(`${key}: ${String(value ?? 'None').replace(/[\r\n]+|:\s/g, ' ')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Reads metadata; unknown keys are ignored. @throws UserError `file_damaged` naming the key */
export function parseRewardMetadata(text: string, file: string): RewardMetadata {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^([A-Za-z0-9_]+)\s*:\s?(.*)$/.exec(line);
    if (match?.[1] !== undefined) values.set(match[1], (match[2] ?? '').trim());
    else if (line.trim() !== '') throw damaged(file, localized('reward.line', { line: quoted(line, 60) }));
  }
  const take = (key: string): string => {
    const value = values.get(key);
    if (value === undefined || value === '') throw damaged(file, localized('damage.missing', { name: key }));
    return value;
  };
  const whole = (key: string, least: number): number => {
    const value = take(key);
    const number = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
      throw damaged(file, localized('reward.whole', { name: key, least, value: quoted(value, 40) }));
    }
    return number;
  };
  const expect = (key: string, expected: string): void => {
    const value = take(key);
    if (value.replace(/\s/g, '') !== expected.replace(/\s/g, '')) {
      throw damaged(file, localized('reward.expected', { name: key, value: value.slice(0, 40), expected }));
    }
  };
  const numSamples = whole('num_samples', 0);
  const blockSize = whole('block_size', 1);
  expect('x_shape', `(${numSamples}, ${blockSize})`);
  expect('y_shape', `(${numSamples}, 2)`);
  expect('y_dtype', 'float32');
  // Old datasets name no tokenization; it was GPT-2's (specification 3.5).
  const isOld = !values.has('tokenization_method') && !values.has('vocab_size');
  if (isOld) {
    values.set('tokenization_method', 'bpe');
    values.set('vocab_size', '50257');
  }
  const method = take('tokenization_method');
  if (method !== 'bpe' && method !== 'char' && method !== 'pretrained')
    throw damaged(file, localized('damage.value', { name: 'tokenization_method', value: quoted(method, 40) }));
  const vocabSize = whole('vocab_size', 1);
  expect('x_dtype', idType(vocabSize));
  const version = values.has('format_version') ? whole('format_version', 1) : rewardFormatVersion;
  if (version > rewardFormatVersion) throw tooNew(file, version);
  const provenance = Object.fromEntries([...values].filter(([key]) => !formatKeys.has(key)));
  return {
    numSamples,
    blockSize,
    tokenization: { method, vocabSize, metaPath: values.get('meta_path') ?? null },
    provenance,
    tokenizationAssumed: isOld,
  };
}

const formatKeys: ReadonlySet<string> = new Set([
  ...['num_samples', 'block_size', 'x_shape', 'y_shape', 'x_dtype', 'y_dtype'],
  ...['tokenization_method', 'vocab_size', 'meta_path', 'format_version'],
]);

function tooNew(file: string, version: number): UserError {
  return new UserError({
    code: 'file_damaged',
    message: localized('formats.format_version_verisim_reads_up', { file, version, rewardFormatVersion }),
    hint: localized('formats.made_newer_verisim_use_one'),
  });
}

const damaged = (file: string, why: Message): UserError =>
  new UserError({
    code: 'file_damaged',
    message: localized('formats.reward_datasets_metadata', { file, why }),
    hint: localized('formats.make_dataset_again_prepare_reward'),
  });

/** Requires the model's tokenizer. @throws UserError `tokenization_mismatch` in the documented words */
export function checkTokenization(
  dataset: TokenizationInfo,
  expected: { readonly method: TokenizationMethod; readonly vocabSize?: number },
): void {
  const mismatch = (message: Message): UserError =>
    new UserError({
      code: 'tokenization_mismatch',
      message,
      hint: localized('formats.make_dataset_again_tokenization_use', { method }),
      field: 'tokenization',
    });
  const { method, vocabSize } = expected;
  if (dataset.method !== method)
    throw mismatch(localized('reward.method', { found: dataset.method, expected: method }));
  if (vocabSize !== undefined && dataset.vocabSize !== vocabSize)
    throw mismatch(localized('reward.vocabulary', { found: dataset.vocabSize, expected: vocabSize }));
}

/** @throws UserError `bad_input` when a dataset's passages are not as long as the model's context */
export function checkBlockSize(blockSize: number, expected: number): void {
  if (blockSize === expected) return;
  throw new UserError({
    code: 'bad_input',
    message: localized('formats.block_size_mismatch_dataset_uses', { blockSize, expected }),
    hint: localized('formats.make_dataset_again_model_use'),
    field: 'block_size',
  });
}

type Pair = readonly [natural: number, synthetic: number];

/** The result of the documented get_stats, under its names. */
export type RewardStats = ReturnType<TargetStatistics['finish']>;

/** The largest distance of a target's sum from 1: single precision, rounded twice. */
const SUM_TOLERANCE = 1e-5;

/** Accumulates statistics of targets; refuses any that is not a pair of probabilities. */
export class TargetStatistics {
  private count = 0;
  // Mean and sum of squared differences from it, updated one by one (Welford 1962): exact enough for any length.
  private readonly columns = [0, 1].map(() => ({ min: Infinity, max: -Infinity, mean: 0, squares: 0 }));
  private readonly sum = { min: Infinity, max: -Infinity, total: 0 };

  constructor(private readonly file: string) {}

  /** @param y (n, 2). @throws UserError `file_damaged` naming the sample */
  add(y: Float32Array): void {
    for (let i = 0; i + 1 < y.length; i += 2) {
      const pair = [y[i] ?? NaN, y[i + 1] ?? NaN];
      const sum = (pair[0] ?? NaN) + (pair[1] ?? NaN);
      if (!(Math.abs(sum - 1) <= SUM_TOLERANCE) || pair.some((p) => !(p >= 0 && p <= 1))) throw this.noPair(pair);
      this.count++;
      this.columns.forEach((column, at) => {
        const p = pair[at] ?? NaN;
        const previousMean = column.mean;
        column.mean += (p - previousMean) / this.count;
        column.squares += (p - previousMean) * (p - column.mean);
        column.min = Math.min(column.min, p);
        column.max = Math.max(column.max, p);
      });
      this.sum.min = Math.min(this.sum.min, sum);
      this.sum.max = Math.max(this.sum.max, sum);
      this.sum.total += sum;
    }
  }

  private noPair(pair: readonly number[]): UserError {
    const where = { file: this.file, count: this.count, pair: pair.join(', ') };
    return new UserError({
      code: 'file_damaged',
      message: localized('formats.sample_target_pair_probabilities_sum', where),
      hint: localized('formats.file_damaged_another_kind_make'),
    });
  }

  /** The statistics so far; all NaN if there are no samples. */
  finish({ numSamples, blockSize, tokenization }: RewardMetadata) {
    const { count, sum, columns } = this;
    const known = (value: number) => (count === 0 ? NaN : value);
    const pair = (of: (column: (typeof columns)[number]) => number) =>
      columns.map((one) => known(of(one))) as unknown as Pair;
    return {
      num_samples: numSamples,
      block_size: blockSize,
      tokenization_method: tokenization.method,
      vocab_size: tokenization.vocabSize,
      meta_path: tokenization.metaPath ?? null,
      y_min: pair(({ min }) => min),
      y_max: pair(({ max }) => max),
      y_mean: pair(({ mean }) => mean),
      y_std: pair(({ squares }) => Math.sqrt(squares / count)),
      prob_sum_min: known(sum.min),
      prob_sum_max: known(sum.max),
      prob_sum_mean: known(sum.total / count),
    };
  }
}

/** The report of `dataset_info`, in the specification's layout. */
export function formatRewardReport(dir: string, train: RewardStats, val: RewardStats): string {
  const consistent =
    train.tokenization_method === val.tokenization_method && train.vocab_size === val.vocab_size
      ? [
          `✅ Tokenization consistency: Both splits use ${train.tokenization_method} with vocab_size=${train.vocab_size}`,
        ]
      : [
          '⚠️ Tokenization mismatch detected:',
          `    Train: ${train.tokenization_method} (vocab_size=${train.vocab_size})`,
          `    Val: ${val.tokenization_method} (vocab_size=${val.vocab_size})`,
        ];
  return [
    `=== Reward Dataset Info: ${dir} ===`,
    '',
    ...formatSplit('TRAIN', train),
    '',
    ...formatSplit('VAL', val),
    '',
    ...consistent,
  ].join('\n');
}

function formatSplit(name: string, stats: RewardStats): string[] {
  return [
    `${name} SET:`,
    `  Samples: ${formatCount(stats.num_samples, 'en-US')}`,
    `  Block size: ${stats.block_size}`,
    `  Tokenization: ${stats.tokenization_method} (vocab_size=${stats.vocab_size})`,
    '  Y statistics:',
    `    Min: ${formatPair(stats.y_min, 7)}`,
    `    Max: ${formatPair(stats.y_max, 6)}`,
    `    Mean: ${formatPair(stats.y_mean, 4)}`,
    `    Std: ${formatPair(stats.y_std, 4)}`,
    '  Probability sums:',
    `    Min: ${stats.prob_sum_min.toFixed(6)}`,
    `    Max: ${stats.prob_sum_max.toFixed(6)}`,
    `    Mean: ${stats.prob_sum_mean.toFixed(6)}`,
  ];
}

/** As NumPy prints a row, with the digits of the specification's example and no zeros behind them. */
function formatPair(pair: Pair, digits: number): string {
  return `[${pair.map((value) => value.toFixed(digits).replace(/0+$/, '')).join(' ')}]`;
}
