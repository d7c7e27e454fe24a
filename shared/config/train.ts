/** Base training, cycle 0 (specification 5.1); names and defaults are nanoGPT's where it has them. */
import { z } from 'zod';
import { parameter, positive, real, whole } from './parameter.js';

export const trainShape = {
  batch_size: parameter(whole(1, 65536).default(12), {
    label: 'Batch size',
    help: 'Passages per step; larger is steadier, slower and needs more memory.',
  }),
  gradient_accumulation_steps: parameter(whole(1, 65536).default(1), {
    label: 'Gradient accumulation',
    help: 'Batches whose gradients are averaged into one step: a larger batch in the same memory.',
    advanced: true,
  }),
  max_iters: parameter(whole(0).default(5000), {
    label: 'Steps',
    help: 'At most this many training steps; early stopping may end sooner.',
  }),
  train_minutes: parameter(real(0.1, 100_000).nullable().default(null), {
    label: 'Minutes',
    help: 'Train for so many minutes instead of so many steps: a few steps are timed first, and the steps that fit are noted, so that resuming is exact. Unset: the steps count.',
  }),
  learning_rate: parameter(positive().default(6e-4), {
    label: 'Learning rate',
    help: 'Size of a training step at its largest.',
  }),
  min_lr: parameter(real(0).default(6e-5), {
    label: 'Final learning rate',
    help: 'Where the learning rate ends, usually 0 or a tenth of the largest.',
  }),
  lr_schedule: parameter(z.enum(['cosine', 'linear']).default('cosine'), {
    label: 'Decay',
    help: 'How the learning rate falls: along half a cosine, or in a straight line.',
    choices: { cosine: 'Half a cosine', linear: 'A straight line' },
    advanced: true,
  }),
  warmup_iters: parameter(whole(0).default(100), {
    label: 'Warm-up steps',
    help: 'The learning rate rises from zero over this many steps.',
    advanced: true,
  }),
  beta2: parameter(real(0, 0.999999).default(0.95), {
    label: 'Adam β2',
    help: 'How long AdamW remembers the size of the gradient.',
    advanced: true,
  }),
  eval_interval: parameter(whole(1).default(250), {
    label: 'Evaluate every',
    help: 'Steps between two evaluations on the held-out text.',
  }),
  eval_iters: parameter(whole(1).nullable().default(200), {
    label: 'Evaluation batches',
    help: 'Held-out batches per evaluation, always the same ones; unset means the whole held-out text. The final figure always uses all of it.',
    advanced: true,
  }),
  patience: parameter(whole(1).default(10), {
    label: 'Patience',
    help: 'Stop after this many evaluations without improvement.',
  }),
  min_delta: parameter(real(0).default(0.001), {
    label: 'Smallest improvement',
    help: 'An evaluation counts as better only when the loss fell by at least this much.',
    advanced: true,
  }),
  log_interval: parameter(whole(1).default(10), {
    label: 'Log every',
    help: 'Steps between two log lines.',
    advanced: true,
  }),
};

/** Passages that the model writes at each evaluation of base training, for the user to read. */
export const SAMPLES_WRITTEN = 3;

export const trainConfigSchema = z.object(trainShape);
export type TrainConfig = z.infer<typeof trainConfigSchema>;

/** What a backward pass computes again rather than keep: what is cheap, or all but the blocks' inputs. */
export type Recomputation = 'selective' | 'full';
