/**
 * What the samples of a reward dataset depend on, and the facts about its making that are kept with it. Pure but for
 * reading the text once.
 */
import { createHash } from 'node:crypto';
import packageFile from '../../../package.json' with { type: 'json' };
import type { DataConfig } from '../../../shared/config/data.js';
import type { GenerationConfig } from '../../../shared/config/generation.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { WRITING_BATCH, type RewardDataConfig } from '../../../shared/config/reward-data.js';
import type { Provenance } from '../../formats/reward-dataset.js';
import { encodeSafetensors } from '../../formats/safetensors.js';
import type { Json, NamedArrays, TokenSource } from '../../engine/types.js';
import { tokenBytes } from '../../storage/datasets/token-files.js';

/** SHA-256 of the weights as a safetensors file, whatever file they came from. */
export function hashWeights(weights: NamedArrays): string {
  const hash = createHash('sha256');
  for (const bytes of encodeSafetensors(weights)) hash.update(bytes);
  return hash.digest('hex');
}

const PIECE = 1 << 20;

/** SHA-256 of the tokens of some sources, as token files hold them. */
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
  // Of a text that was split here; token files were split before.
  const train_split = config.input_mode === 'text' ? config.train_split : null;
  return {
    blockSize: block_size,
    settings: { ...shown, block_size, vocab_size: vocabSize, generation_batch_size: WRITING_BATCH },
    provenance: { ...shown, train_split, created_by: `verisim ${packageFile.version}` },
  };
}
