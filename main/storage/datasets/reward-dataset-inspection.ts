/** Inspects a reward dataset as reward_dataset_loader.py does, in the specification's words (3.8), and reports every finding. */
import { formatCount } from '../../../shared/base/numbers.js';
import { UserError } from '../../../shared/errors.js';
import {
  formatQuality,
  measureVariety,
  type QualityCheck,
  splitCheck,
  varietyCheck,
} from '../../engine/reward/reward-quality.js';
import { formatRewardReport, type RewardMetadata, type RewardStats } from '../../formats/reward-dataset.js';
import { createRewardDataloaders } from './reward-dataloaders.js';
import {
  checkRewardFiles,
  openRewardDataset,
  readRewardMetadata,
  scanTargets,
  scanTokens,
  type Split,
  splits,
} from './reward-dataset-files.js';

interface Inspection {
  readonly text: string;
  readonly checks: readonly QualityCheck[];
  /** Faults of the dataset, worst first; none if it can be used. */
  readonly faults: readonly UserError[];
}

const JUDGED_SAMPLES = 1000;
const SHOWN_BATCH = 4;

/** @throws UserError only for faults outside the dataset, such as a file that may not be read */
export function inspectRewardDataset(dir: string): Inspection {
  const found = splits.map((split) => inspectSplit(dir, split));
  const faults = found.flatMap(({ problems }) => Object.values(problems).flatMap((fault) => fault ?? []));
  const checks = qualityChecks(found);
  if (faults.length === 0) checks.push(varietyOf(dir));
  const [train, val] = found;
  const report = train?.stats && val?.stats ? formatRewardReport(dir, train.stats, val.stats) : '';
  const parts = [report, formatQuality(checks)];
  if (faults.length === 0 && found.every(({ metadata }) => metadata?.numSamples !== 0)) {
    parts.push(loaderTest(dir, checks));
  }
  return { text: parts.filter((part) => part !== '').join('\n\n'), checks, faults };
}

interface SplitFindings {
  readonly metadata: RewardMetadata | null;
  readonly stats: RewardStats | null;
  readonly problems: Readonly<Record<'metadata' | 'files' | 'targets' | 'tokens', UserError | null>>;
}

function inspectSplit(dir: string, split: Split): SplitFindings {
  const [metadata, metadataFault] = attempt(() => readRewardMetadata(dir, split));
  const none = { metadata: metadataFault, files: null, targets: null, tokens: null };
  if (metadata === null) return { metadata, stats: null, problems: none };
  const [, files] = attempt(() => checkRewardFiles(dir, split, metadata));
  if (files !== null) return { metadata, stats: null, problems: { ...none, files } };
  const [stats, targets] = attempt(() => scanTargets(dir, split, metadata));
  const [, tokens] = attempt(() => scanTokens(dir, split, metadata));
  return { metadata, stats, problems: { metadata: null, files, targets, tokens } };
}

function attempt<T>(action: () => T): readonly [T, null] | readonly [null, UserError] {
  try {
    return [action(), null];
  } catch (error) {
    if (error instanceof UserError) return [null, error];
    throw error;
  }
}

function qualityChecks(found: readonly SplitFindings[]): QualityCheck[] {
  /** Passes unless a split has this problem or was too damaged to be read. */
  const check = (name: string, problem: keyof SplitFindings['problems'], passed: string): QualityCheck => {
    const fault = found.flatMap(({ problems }) => problems[problem] ?? [])[0];
    if (fault) return { name, verdict: 'bad', message: fault.message };
    const isUnread = found.some(({ metadata, stats }) =>
      problem === 'files' ? metadata === null : problem !== 'metadata' && stats === null,
    );
    return isUnread
      ? { name, verdict: 'bad', message: 'Not all of it could be read' }
      : { name, verdict: 'good', message: passed };
  };
  const [train, val] = found.map((split) => split.metadata);
  const isAssumed = [train, val].some((metadata) => metadata?.tokenizationAssumed === true);
  const assumed = 'Incomplete tokenization information; bpe (vocab_size=50257) is assumed';
  return [
    check('Probability sums', 'targets', 'All samples sum to 1.000000'),
    check('Token ranges', 'tokens', 'All tokens within vocab bounds'),
    ...(train && val ? [splitsOf(train, val), tokenizationCheck(train, val)] : []),
    check('File integrity', 'files', 'All binary files valid'),
    isAssumed
      ? { name: 'Metadata', verdict: 'warning', message: assumed }
      : check('Metadata', 'metadata', 'Complete tokenization information'),
  ];
}

function splitsOf(train: RewardMetadata, val: RewardMetadata): QualityCheck {
  const number = (key: string): number | null => {
    const value = Number(train.provenance?.[key] ?? NaN);
    return Number.isFinite(value) ? value : null;
  };
  return splitCheck({
    train: train.numSamples,
    val: val.numSamples,
    trainSplit: number('train_split'),
    limited: number('reward_train_samples') !== null || number('reward_val_samples') !== null,
    perChunk: number('samples_per_chunk') ?? 1,
  });
}

function tokenizationCheck(train: RewardMetadata, val: RewardMetadata): QualityCheck {
  const name = 'Tokenization';
  const words = ({ tokenization: { method, vocabSize } }: RewardMetadata) => `${method} (vocab_size=${vocabSize})`;
  if (words(train) !== words(val)) {
    return { name, verdict: 'bad', message: `Train: ${words(train)}, Val: ${words(val)}` };
  }
  const [ours, theirs] = [train, val].map(({ tokenization }) => tokenization.metaPath ?? null);
  return ours === theirs
    ? { name, verdict: 'good', message: 'Consistent across all samples' }
    : { name, verdict: 'warning', message: `Train names meta_path ${ours}, val ${theirs}` };
}

/** Judges samples spread evenly over the training split. */
function varietyOf(dir: string): QualityCheck {
  const dataset = openRewardDataset(dir, 'train');
  try {
    const { numSamples, blockSize } = dataset;
    const judged = Math.min(JUDGED_SAMPLES, numSamples);
    const samples = Array.from({ length: judged }, (_, i) => {
      const row = Math.floor((i * numSamples) / judged);
      const [natural = 0] = dataset.y(row, 1);
      return { tokens: dataset.x(row, 1).slice(), crossover: Math.round(natural * blockSize) };
    });
    return varietyCheck(measureVariety(samples));
  } finally {
    dataset.close();
  }
}

/** Reads a batch as training would (specification 3.8). */
function loaderTest(dir: string, checks: readonly QualityCheck[]): string {
  if (checks.some(({ name, verdict }) => name === 'Tokenization' && verdict === 'bad')) return '';
  const { train, val, close } = createRewardDataloaders(dir, { batchSize: SHOWN_BATCH });
  try {
    const [batch] = train.epoch(0);
    return [
      '=== DataLoader Test ===',
      `Train batches: ${formatCount(train.length, 'en-US')}`,
      `Val batches: ${formatCount(val.length, 'en-US')}`,
      `Batch X shape: torch.Size([${batch?.size}, ${train.dataset.blockSize}])`,
      `Batch Y shape: torch.Size([${batch?.size}, 2])`,
      `Batch Y sample: tensor([${Array.from(batch?.y.subarray(0, 2) ?? [], (value) => value.toFixed(4)).join(', ')}])`,
    ].join('\n');
  } finally {
    close();
  }
}
