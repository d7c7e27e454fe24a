/**
 * What the samples of a reward dataset depend on, and the facts about its making that are kept with it. Pure but for
 * reading the text once.
 */
import { createHash } from 'node:crypto';
import packageFile from '../../package.json' with { type: 'json' };
import type { GenerationConfig } from '../../shared/config/generation.js';
import type { RewardDataConfig } from '../../shared/config/reward-data.js';
import type { Provenance } from '../engine/reward-dataset.js';
import { encodeSafetensors } from '../engine/safetensors.js';
import type { Json, NamedArrays, TokenSource } from '../engine/types.js';
import { tokenBytes } from '../storage/token-files.js';

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

export interface RewardDataFacts {
  /** The same settings make the same samples. */
  readonly settings: Readonly<Record<string, Json>>;
  readonly provenance: Provenance;
}

export function rewardDataFacts(options: {
  readonly weights: NamedArrays;
  readonly blockSize: number;
  readonly vocabSize: number;
  readonly tokens: { readonly train: TokenSource; readonly val: TokenSource };
  readonly config: RewardDataConfig & GenerationConfig;
  readonly seed: number;
  /** Of a text that was split here; null for token files, which were split before. */
  readonly trainSplit: number | null;
}): RewardDataFacts {
  const { weights, blockSize, vocabSize, tokens, config, seed, trainSplit } = options;
  const { samples_per_chunk, reward_train_samples, reward_val_samples, temperature, top_k } = config;
  const shown = {
    base_model_sha256: hashWeights(weights),
    text_sha256: hashTokens([tokens.train, tokens.val]),
    seed,
    samples_per_chunk,
    reward_train_samples,
    reward_val_samples,
    temperature,
    top_k,
  };
  const { generation_batch_size } = config;
  return {
    settings: { ...shown, block_size: blockSize, vocab_size: vocabSize, generation_batch_size },
    provenance: { ...shown, train_split: trainSplit, created_by: `verisim ${packageFile.version}` },
  };
}
