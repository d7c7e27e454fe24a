/** Base training, cycle 0 (specification 5.1); names and defaults are nanoGPT's where it has them. */
import { z } from 'zod';
import { parameter, positive, real, whole } from './parameter.js';

export const trainShape = {
  batch_size: parameter(whole(1, 65536).default(12)),
  gradient_accumulation_steps: parameter(whole(1, 65536).default(1), { advanced: true }),
  max_iters: parameter(whole(0).default(5000)),
  train_minutes: parameter(real(0.1, 100_000).nullable().default(null)),
  learning_rate: parameter(positive().default(6e-4)),
  min_lr: parameter(real(0).default(6e-5)),
  lr_schedule: parameter(z.enum(['cosine', 'linear']).default('cosine'), { advanced: true }),
  warmup_iters: parameter(whole(0).default(100), { advanced: true }),
  beta2: parameter(real(0, 0.999999).default(0.95), { advanced: true }),
  eval_interval: parameter(whole(1).default(250)),
  eval_iters: parameter(whole(1).nullable().default(200), { advanced: true }),
  patience: parameter(whole(1).default(10)),
  min_delta: parameter(real(0).default(0.001), { advanced: true }),
  log_interval: parameter(whole(1).default(10), { advanced: true }),
};

/** The share of the minutes that is left for the steps, however long the text's preparation took. */
const LEAST_SHARE = 0.2;

/** Returns the seconds of `train_minutes` that are left for steps and evaluations. @param passed seconds since they began */
export const secondsForSteps = (minutes: number, passed: number): number =>
  Math.max(LEAST_SHARE * minutes * 60, minutes * 60 - passed);

/** A pretrained model that trains for minutes reads its text once, a short one more often. More is learned by heart (docs/benchmarks.md). */
const READINGS = { least: 1, most: 3, steps: 75 } as const;

/** Limits the steps that fit into minutes to those that a pretrained model needs for its text. */
export function readingSteps(
  { batch_size, gradient_accumulation_steps }: Pick<TrainConfig, 'batch_size' | 'gradient_accumulation_steps'>,
  blockSize: number,
  trainTokens: number,
): number {
  const once = trainTokens / (batch_size * gradient_accumulation_steps * blockSize);
  return Math.max(1, Math.ceil(Math.max(READINGS.least * once, Math.min(READINGS.most * once, READINGS.steps))));
}

/** Passages that the model writes at each evaluation of base training, for the user to read. */
export const SAMPLES_WRITTEN = 3;

export const trainConfigSchema = z.object(trainShape);
export type TrainConfig = z.infer<typeof trainConfigSchema>;

/** What a backward pass computes again rather than keep: what is cheap, or all but the blocks' inputs. */
export type Recomputation = 'selective' | 'full';
