/**
 * The learning rate of a step: linear warm-up, constant for a share of the rest, then down along half a cosine (nanoGPT's;
 * Loshchilov & Hutter 2017) or a straight line (Bergsma et al. 2025), then constant.
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { TrainConfig } from '../../../shared/config/train.js';

type ScheduleConfig = Pick<
  TrainConfig,
  | 'learning_rate'
  | 'min_lr'
  | 'warmup_iters'
  | 'lr_decay_iters'
  | 'decay_lr'
  | 'lr_schedule'
  | 'lr_constant'
  | 'max_iters'
>;

/** @param iteration counts from 0 */
export function learningRateAt(iteration: number, config: ScheduleConfig): number {
  const { learning_rate, min_lr, warmup_iters, decay_lr, lr_schedule, lr_constant } = config;
  if (!decay_lr) return learning_rate;
  const decayIters = config.lr_decay_iters ?? config.max_iters;
  if (iteration < warmup_iters) return (learning_rate * (iteration + 1)) / (warmup_iters + 1);
  if (iteration >= decayIters) return min_lr;
  const progress = (iteration - warmup_iters) / (decayIters - warmup_iters);
  if (progress < lr_constant) return learning_rate;
  const fallen = lr_constant > 0 ? (progress - lr_constant) / (1 - lr_constant) : progress;
  const left = lr_schedule === 'linear' ? 1 - fallen : 0.5 * (1 + Math.cos(Math.PI * fallen));
  return min_lr + left * (learning_rate - min_lr);
}

/** GRPO's, in the same way. @param step counts from 0 */
export const grpoLearningRateAt = (step: number, config: GrpoConfig): number =>
  learningRateAt(step, {
    learning_rate: config.grpo_learning_rate,
    min_lr: 0,
    warmup_iters: config.grpo_warmup_steps,
    decay_lr: true,
    lr_schedule: 'linear',
    lr_constant: config.grpo_lr_schedule === 'constant' ? 1 : 0,
    lr_decay_iters: null,
    max_iters: config.grpo_max_steps,
  });
