/**
 * Returns what the samples of a reward dataset depend on, for its metadata, and recognizes a dataset that was finished with
 * these settings: the same command run again keeps it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import type { DataConfig } from '../../../shared/config/data.js';
import type { GenerationConfig } from '../../../shared/config/generation.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { WRITING_BATCH, type RewardDataConfig } from '../../../shared/config/reward-data.js';
import { UserError } from '../../../shared/errors.js';
import type { Json, NamedArrays, TokenSource } from '../../engine/types.js';
import { formatRewardMetadata, type Provenance, type RewardMetadata } from '../../formats/reward-dataset.js';
import { encodeSafetensors } from '../../formats/safetensors.js';
import { checkRewardFiles, namesOf, readRewardMetadata, splits } from '../../storage/datasets/reward-dataset-files.js';
import { tokenBytes } from '../../storage/datasets/token-files.js';

/** SHA-256 of the weights as a safetensors file, whatever file they came from. */
export function hashWeights(weights: NamedArrays): string {
  const hash = createHash('sha256');
  for (const bytes of encodeSafetensors(weights)) hash.update(bytes);
  return hash.digest('hex');
}

const PIECE = 1 << 20;

/** SHA-256 of tokens as token files store them. */
export function hashTokens(sources: readonly TokenSource[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    hash.update(`${source.length}\n`);
    for (let at = 0; at < source.length; at += PIECE) {
      hash.update(tokenBytes(source.read(at, Math.min(PIECE, source.length - at))));
    }
  }
  return hash.digest('hex');
}

interface RewardDataFacts {
  readonly blockSize: number;
  /** The same settings make the same samples. */
  readonly settings: Readonly<Record<string, Json>>;
  readonly provenance: Provenance;
}

export function rewardDataFacts(options: {
  readonly model: Pick<GPTConfig, 'block_size'>;
  readonly weights: NamedArrays;
  readonly vocabSize: number;
  readonly text: { readonly train: TokenSource; readonly val: TokenSource };
  readonly config: RewardDataConfig & GenerationConfig & Pick<DataConfig, 'input_mode' | 'train_split'>;
  readonly seed: number;
}): RewardDataFacts {
  const { model, weights, vocabSize, text, config, seed } = options;
  const { samples_per_chunk, reward_train_samples, reward_val_samples, temperature, top_k } = config;
  const { block_size } = model;
  const shown = {
    base_model_sha256: hashWeights(weights),
    text_sha256: hashTokens([text.train, text.val]),
    seed,
    samples_per_chunk,
    reward_train_samples,
    reward_val_samples,
    temperature,
    top_k,
  };
  // Token files were split earlier.
  const train_split = config.input_mode === 'text' ? config.train_split : null;
  return {
    blockSize: block_size,
    settings: { ...shown, block_size, vocab_size: vocabSize, generation_batch_size: WRITING_BATCH },
    provenance: { ...shown, train_split, created_by: `verisim ${packageFile.version}` },
  };
}

/** Returns the metadata of a whole dataset of these settings; null if there is none. */
export function finishedRewardData(
  dir: string,
  blockSize: number,
  provenance: Provenance,
): { readonly train: RewardMetadata; readonly val: RewardMetadata } | null {
  if (!splits.every((split) => existsSync(join(dir, namesOf(split).metadata)))) return null;
  try {
    const [train, val] = splits.map((split) => {
      const metadata = readRewardMetadata(dir, split);
      checkRewardFiles(dir, split, metadata);
      return metadata;
    }) as [RewardMetadata, RewardMetadata];
    const isSame = [train, val].every(
      (found) => found.blockSize === blockSize && factsOf(found, found.provenance ?? {}) === factsOf(found, provenance),
    );
    return isSame ? { train, val } : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Formats provenance as stored, in one order, without what may differ between runs. */
function factsOf(metadata: RewardMetadata, { skipped_samples: _, created_by: __, ...provenance }: Provenance): string {
  return formatRewardMetadata({ ...metadata, provenance: Object.fromEntries(Object.entries(provenance).sort()) });
}
