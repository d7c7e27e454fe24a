/**
 * The independent evaluation's own settings, which nobody sets: how a fresh discriminator is trained. A discriminator that
 * GRPO has never seen learns to tell a generator's new passages from nature by the judge's evidence.
 */
import type { RewardDataConfig } from './reward-data.js';
import type { RewardModelConfig } from './reward-model.js';

/**
 * The fall of R² from one generator to the next is a few hundredths, so the interval of each must be about ±0.02. The
 * held-out text is used several times over for that: what is written after it differs each time.
 */
const TRAIN_SAMPLES = 2000;
const VAL_SAMPLES = 4000;
/** The head is small and begins at the judge's evidence; it is stopped where the validation error no longer falls. */
const MAX_STEPS = 300;
const learning = { reward_eval_interval: 50, reward_patience: 2, reward_learning_rate: 1e-3 } as const;

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
    ...learning,
    reward_train_samples: Math.min(config.reward_train_samples ?? TRAIN_SAMPLES, TRAIN_SAMPLES),
    reward_val_samples,
    samples_per_chunk: Math.ceil(reward_val_samples / chunks),
    reward_kind: 'hybrid' as const,
    reward_unfreeze: 0,
    reward_max_iters: Math.min(config.reward_max_iters, MAX_STEPS),
  };
}
