/**
 * The independent evaluation's own settings, which no user sets. A discriminator that GRPO has never seen distinguishes a generator's new
 * passages from nature by the judge's evidence.
 */
import type { RewardDataConfig } from './reward-data.js';
import type { RewardModelConfig } from './reward-model.js';

/**
 * The fall of R² from one generator to the next is a few hundredths, so the interval of each must be about ±0.02. The
 * held-out text is used several times over for that: what is written after it differs each time.
 */
const TRAIN_SAMPLES = 2000;
const VAL_SAMPLES = 4000;

/** The project's settings with those of the fresh discriminator in their place. */
export function freshDiscriminatorSettings<C extends RewardDataConfig & RewardModelConfig>(
  config: C,
  { block_size, valTokens }: { readonly block_size: number; readonly valTokens: number },
) {
  // No more than twice the reward data’s own, so that small projects stay quick.
  const reward_val_samples = Math.min(2 * (config.reward_val_samples ?? VAL_SAMPLES), VAL_SAMPLES);
  const chunks = Math.max(1, Math.floor(valTokens / block_size));
  return {
    ...config,
    reward_train_samples: Math.min(config.reward_train_samples ?? TRAIN_SAMPLES, TRAIN_SAMPLES),
    reward_val_samples,
    samples_per_chunk: Math.ceil(reward_val_samples / chunks),
    reward_kind: 'critic' as const,
  };
}
