/** The learning rate of a step: linear warm-up, half a cosine down, then constant (nanoGPT's; Loshchilov & Hutter 2017). */
import type { TrainConfig } from '../../../shared/config/train.js';

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
