/** Formats and checks the specification's reward dataset: metadata (3.5), statistics of get_stats, printed report (3.2.3). */
import { localized } from '../../shared/messages/message.js';
import { formatCount } from '../../shared/base/numbers.js';
import { UserError } from '../../shared/errors.js';
import { quoted } from './shorten.js';
import { bytesPerId, type TokenizationInfo, type TokenizationMethod } from '../engine/tokenizer/types.js';

/** Facts of how a dataset was made, by name; they are written as plain `key: value` lines. */
export type Provenance = Readonly<Record<string, string | number | null>>;

export interface RewardMetadata {
  readonly numSamples: number;
  readonly blockSize: number;
  readonly tokenization: TokenizationInfo;
  /** Written by Verisim below the specification's lines, which a reader of those leaves alone. */
  readonly provenance?: Provenance;
  /** The file does not say its tokenization: it is older than that, and GPT-2's is assumed. */
  readonly tokenizationAssumed?: boolean;
}

/** Counts up when a reader of this version could misunderstand what a newer one writes. */
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
    // One line, and nothing that a reader who splits at ": " would take for another key.
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
    else if (line.trim() !== '') throw damaged(file, `the line ${quoted(line, 60)} is not "key: value"`);
  }
  const take = (key: string): string => {
    const value = values.get(key);
    if (value === undefined || value === '') throw damaged(file, `${key} is missing`);
    return value;
  };
  const whole = (key: string, least: number): number => {
    const value = take(key);
    const number = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
      throw damaged(file, `${key} must be a whole number from ${least}, not ${quoted(value, 40)}`);
    }
    return number;
  };
  const expect = (key: string, expected: string): void => {
    const value = take(key);
    if (value.replace(/\s/g, '') !== expected.replace(/\s/g, '')) {
      throw damaged(file, `${key} is ${value.slice(0, 40)}, expected ${expected}`);
    }
  };
  const numSamples = whole('num_samples', 0);
  const blockSize = whole('block_size', 1);
  expect('x_shape', `(${numSamples}, ${blockSize})`);
  expect('y_shape', `(${numSamples}, 2)`);
  expect('y_dtype', 'float32');
  // Before tokenization could be chosen, datasets did not say it; then it was GPT-2's (specification 3.5).
  const isOld = !values.has('tokenization_method') && !values.has('vocab_size');
  if (isOld) {
    values.set('tokenization_method', 'bpe');
    values.set('vocab_size', '50257');
  }
  const method = take('tokenization_method');
  if (method !== 'bpe' && method !== 'char' && method !== 'pretrained')
    throw damaged(file, `tokenization_method is ${method.slice(0, 40)}`);
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

function damaged(file: string, why: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: localized('formats.reward_datasets_metadata', { file, why }),
    hint: localized('formats.make_dataset_again_prepare_reward'),
  });
}

/** Requires the model's tokenizer. @throws UserError `tokenization_mismatch` in the documented words */
export function checkTokenization(
  dataset: TokenizationInfo,
  expected: { readonly method: TokenizationMethod; readonly vocabSize?: number },
): void {
  const mismatch = (message: string): UserError =>
    new UserError({
      code: 'tokenization_mismatch',
      message,
      hint: localized('formats.make_dataset_again_tokenization_use', { method: expected.method }),
      field: 'tokenization',
    });
  if (dataset.method !== expected.method) {
    throw mismatch(`Tokenization method mismatch: dataset uses '${dataset.method}' but expected '${expected.method}'`);
  }
  if (expected.vocabSize !== undefined && dataset.vocabSize !== expected.vocabSize) {
    throw mismatch(`Vocabulary size mismatch: dataset uses ${dataset.vocabSize} but expected ${expected.vocabSize}`);
  }
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

/** What the documented get_stats returns, under its names. */
export interface RewardStats {
  readonly num_samples: number;
  readonly block_size: number;
  readonly tokenization_method: TokenizationMethod;
  readonly vocab_size: number;
  readonly meta_path: string | null;
  readonly y_min: Pair;
  readonly y_max: Pair;
  readonly y_mean: Pair;
  readonly y_std: Pair;
  readonly prob_sum_min: number;
  readonly prob_sum_max: number;
  readonly prob_sum_mean: number;
}

/** How far a target may be from summing to 1: single precision, rounded twice. */
const SUM_TOLERANCE = 1e-5;

/** Takes targets in pieces and gives their statistics; refuses what is not a pair of probabilities. */
export class TargetStatistics {
  private count = 0;
  private readonly min = [Infinity, Infinity];
  private readonly max = [-Infinity, -Infinity];
  // Mean and sum of squared differences from it, updated one by one (Welford 1962): exact enough for any length.
  private readonly mean = [0, 0];
  private readonly squares = [0, 0];
  private readonly sum = { min: Infinity, max: -Infinity, total: 0 };

  constructor(private readonly file: string) {}

  /** @param y (n, 2). @throws UserError `file_damaged` naming the sample */
  add(y: Float32Array): void {
    for (let i = 0; i + 1 < y.length; i += 2) {
      const pair = [y[i] ?? NaN, y[i + 1] ?? NaN];
      const sum = (pair[0] ?? NaN) + (pair[1] ?? NaN);
      if (!(Math.abs(sum - 1) <= SUM_TOLERANCE) || pair.some((p) => !(p >= 0 && p <= 1))) {
        throw new UserError({
          code: 'file_damaged',
          message: localized('formats.sample_target_pair_probabilities_sum', {
            file: this.file,
            count: this.count,
            pair: pair.join(', '),
          }),
          hint: localized('formats.file_damaged_another_kind_make'),
        });
      }
      this.count++;
      pair.forEach((p, column) => {
        const before = this.mean[column] ?? 0;
        const mean = before + (p - before) / this.count;
        this.mean[column] = mean;
        this.squares[column] = (this.squares[column] ?? 0) + (p - before) * (p - mean);
        this.min[column] = Math.min(this.min[column] ?? p, p);
        this.max[column] = Math.max(this.max[column] ?? p, p);
      });
      this.sum.min = Math.min(this.sum.min, sum);
      this.sum.max = Math.max(this.sum.max, sum);
      this.sum.total += sum;
    }
  }

  /** The statistics so far; all NaN when there were no samples. */
  finish({ numSamples, blockSize, tokenization }: RewardMetadata): RewardStats {
    const pair = (of: (column: number) => number): Pair => (this.count === 0 ? [NaN, NaN] : [of(0), of(1)]);
    const none = this.count === 0;
    return {
      num_samples: numSamples,
      block_size: blockSize,
      tokenization_method: tokenization.method,
      vocab_size: tokenization.vocabSize,
      meta_path: tokenization.metaPath ?? null,
      y_min: pair((column) => this.min[column] ?? NaN),
      y_max: pair((column) => this.max[column] ?? NaN),
      y_mean: pair((column) => this.mean[column] ?? NaN),
      y_std: pair((column) => Math.sqrt((this.squares[column] ?? NaN) / this.count)),
      prob_sum_min: none ? NaN : this.sum.min,
      prob_sum_max: none ? NaN : this.sum.max,
      prob_sum_mean: none ? NaN : this.sum.total / this.count,
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
