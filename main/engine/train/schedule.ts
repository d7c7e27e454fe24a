/** Learning-rate schedules: linear warm-up, then half a cosine (nanoGPT; Loshchilov & Hutter 2017) or a line (Bergsma et al. 2025). */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { TrainConfig } from '../../../shared/config/train.js';

type ScheduleConfig = Pick<TrainConfig, 'learning_rate' | 'min_lr' | 'warmup_iters' | 'lr_schedule' | 'max_iters'>;

/** Returns the rate of a step; `min_lr` after the last. @param iteration counts from 0 */
export function learningRateAt(iteration: number, config: ScheduleConfig): number {
  const { learning_rate, min_lr, warmup_iters, lr_schedule, max_iters } = config;
  if (iteration < warmup_iters) return (learning_rate * (iteration + 1)) / (warmup_iters + 1);
  if (iteration >= max_iters) return min_lr;
  const progress = (iteration - warmup_iters) / (max_iters - warmup_iters);
  const left = lr_schedule === 'linear' ? 1 - progress : 0.5 * (1 + Math.cos(Math.PI * progress));
  return min_lr + left * (learning_rate - min_lr);
}

/** Returns GRPO's rate: linear warm-up, then constant or a line to zero. @param step counts from 0 */
export function grpoLearningRateAt(step: number, config: GrpoConfig): number {
  const schedule = {
    learning_rate: config.grpo_learning_rate,
    min_lr: 0,
    warmup_iters: config.grpo_warmup_steps,
    lr_schedule: 'linear',
    max_iters: config.grpo_max_steps,
  } as const;
  const isConstant =
    config.grpo_lr_schedule === 'constant' && step >= schedule.warmup_iters && step < schedule.max_iters;
  return isConstant ? schedule.learning_rate : learningRateAt(step, schedule);
}
