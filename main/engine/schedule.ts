/**
 * The learning rate of a step. Base training: linear warm-up, half a cosine down, then constant (nanoGPT's; Loshchilov &
 * Hutter 2017). GRPO: as configured, or evenly down to 0, as TRL's trainers do unless they are told otherwise.
 */
import type { GrpoConfig } from '../../shared/config/grpo.js';
import type { TrainConfig } from '../../shared/config/train.js';

type ScheduleConfig = Pick<
  TrainConfig,
  'learning_rate' | 'min_lr' | 'warmup_iters' | 'lr_decay_iters' | 'decay_lr' | 'max_iters'
>;

/** @param iteration counts from 0 */
export function learningRateAt(iteration: number, config: ScheduleConfig): number {
  const { learning_rate, min_lr, warmup_iters, decay_lr } = config;
  if (!decay_lr) return learning_rate;
  const decayIters = config.lr_decay_iters ?? config.max_iters;
  if (iteration < warmup_iters) return (learning_rate * (iteration + 1)) / (warmup_iters + 1);
  if (iteration >= decayIters) return min_lr;
  const progress = (iteration - warmup_iters) / (decayIters - warmup_iters);
  return min_lr + 0.5 * (1 + Math.cos(Math.PI * progress)) * (learning_rate - min_lr);
}

/**
 * Steps that were added while it runs spread the rest of the way down over themselves too.
 * @param step counts from 0, below `grpo_max_steps`
 */
export function grpoLearningRateAt(
  step: number,
  config: Pick<GrpoConfig, 'grpo_learning_rate' | 'grpo_decay_lr' | 'grpo_max_steps'>,
): number {
  const { grpo_learning_rate, grpo_decay_lr, grpo_max_steps } = config;
  return grpo_decay_lr ? grpo_learning_rate * (1 - step / grpo_max_steps) : grpo_learning_rate;
}
