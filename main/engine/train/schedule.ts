/** Learning-rate schedules: linear warm-up, then half a cosine (nanoGPT; Loshchilov & Hutter 2017) or a line (Bergsma et al. 2025). */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import type { Extended, Extension } from '../control.js';

type ScheduleConfig = Pick<TrainConfig, 'learning_rate' | 'min_lr' | 'warmup_iters' | 'lr_schedule' | 'max_iters'>;

/** Returns the rate of a step; `min_lr` after the last. @param iteration counts from 0 */
export function learningRateAt(iteration: number, config: ScheduleConfig & Extended): number {
  const { learning_rate, warmup_iters, max_iters, extensions = [] } = config;
  const last = extensions.at(-1);
  if (last && iteration >= last.step) return extendedRateAt(iteration, config, last);
  if (last) {
    const before = { ...config, max_iters: max_iters - last.iterations, extensions: extensions.slice(0, -1) };
    return learningRateAt(iteration, before);
  }
  if (iteration < warmup_iters) return (learning_rate * (iteration + 1)) / (warmup_iters + 1);
  return fallingFrom(learning_rate, warmup_iters, iteration, config);
}

/**
 * Returns the rate after an extension: it falls from the rate of that step, without a jump. After the end, where it is nearly 0,
 * it rises again to what the longer schedule has there (re-warming, Ibrahim et al. 2024).
 */
function extendedRateAt(iteration: number, config: ScheduleConfig & Extended, { step, iterations }: Extension): number {
  const { extensions = [], ...whole } = config;
  const planned = { ...whole, max_iters: whole.max_iters - iterations, extensions: extensions.slice(0, -1) };
  if (step < whole.warmup_iters) return learningRateAt(iteration, { ...whole, extensions: [] });
  if (step < planned.max_iters) return fallingFrom(learningRateAt(step, planned), step, iteration, whole);
  const rise = Math.min(whole.warmup_iters, Math.ceil(iterations / 10));
  const peak = fallingFrom(whole.learning_rate, whole.warmup_iters, step, whole);
  if (iteration < step + rise) return whole.min_lr + ((peak - whole.min_lr) * (iteration - step + 1)) / (rise + 1);
  return fallingFrom(peak, step + rise, iteration, whole);
}

/** Returns the rate on its way from `peak` at step `start` to `min_lr` after the last. */
function fallingFrom(peak: number, start: number, iteration: number, config: ScheduleConfig): number {
  const { min_lr, lr_schedule, max_iters } = config;
  if (iteration >= max_iters) return min_lr;
  const progress = (iteration - start) / (max_iters - start);
  const left = lr_schedule === 'linear' ? 1 - progress : 0.5 * (1 + Math.cos(Math.PI * progress));
  return min_lr + left * (peak - min_lr);
}

/** Returns GRPO's rate: linear warm-up, then constant or a line to zero. @param step counts from 0 */
export function grpoLearningRateAt(step: number, config: GrpoConfig & Extended): number {
  const schedule = {
    learning_rate: config.grpo_learning_rate,
    min_lr: 0,
    warmup_iters: config.grpo_warmup_steps,
    lr_schedule: 'linear',
    max_iters: config.grpo_max_steps,
    ...(config.extensions ? { extensions: config.extensions } : {}),
  } as const;
  const isConstant =
    config.grpo_lr_schedule === 'constant' && step >= schedule.warmup_iters && step < schedule.max_iters;
  return isConstant ? schedule.learning_rate : learningRateAt(step, schedule);
}
