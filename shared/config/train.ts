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
  optimizer: parameter(z.enum(['adamw', 'muon']).default('adamw'), {
    label: 'Optimizer',
    help: 'How weights learn from gradients: {adamw}, or {muon} for the matrices of the blocks and AdamW for the rest; a step of it takes longer and learns more.',
    choices: { adamw: 'AdamW', muon: 'Muon' },
    advanced: true,
  }),
  muon_learning_rate: parameter(positive().default(0.02), {
    label: 'Muon’s learning rate',
    help: 'Size of a step of the matrices that Muon trains, at its largest; it rises and falls as the learning rate does.',
    advanced: true,
  }),
  muon_iterations: parameter(whole(1, 10).default(5), {
    label: 'Muon’s iterations',
    help: 'How often Muon multiplies a matrix’s momentum with itself to make it orthogonal; fewer are faster and less exact.',
    advanced: true,
  }),
  min_lr: parameter(real(0).default(6e-5), {
    label: 'Final learning rate',
    help: 'Where the learning rate ends, usually 0 or a tenth of the largest.',
  }),
  decay_lr: parameter(z.boolean().default(true), {
    label: 'Decay the learning rate',
    help: 'Lower the learning rate from the largest to the final.',
    advanced: true,
  }),
  lr_schedule: parameter(z.enum(['cosine', 'linear']).default('cosine'), {
    label: 'Decay',
    help: 'How the learning rate falls: along half a cosine, or in a straight line.',
    choices: { cosine: 'Half a cosine', linear: 'A straight line' },
    advanced: true,
  }),
  lr_constant: parameter(real(0, 1).default(0), {
    label: 'Before the decay',
    help: 'The share of the steps after warm-up in which the learning rate stays at its largest.',
    advanced: true,
  }),
  warmup_iters: parameter(whole(0).default(100), {
    label: 'Warm-up steps',
    help: 'The learning rate rises from zero over this many steps.',
    advanced: true,
  }),
  lr_decay_iters: parameter(whole(0).nullable().default(null), {
    label: 'Decay steps',
    help: 'The learning rate reaches its final value after this many steps; unset means at the last.',
    advanced: true,
  }),
  beta1: parameter(real(0, 0.9999).default(0.9), {
    label: 'Adam β1',
    help: 'How long AdamW remembers the direction of the gradient.',
    advanced: true,
  }),
  beta2: parameter(real(0, 0.999999).default(0.95), {
    label: 'Adam β2',
    help: 'How long AdamW remembers the size of the gradient.',
    advanced: true,
  }),
  weight_decay: parameter(real(0, 10).default(0.1), {
    label: 'Weight decay',
    help: 'Pulls weight matrices towards zero; biases and norms are left alone.',
    advanced: true,
  }),
  dropout_passes: parameter(positive().nullable().default(null), {
    label: 'Dropout after passes',
    help: 'A text that training goes through more often than this is read with a dropout of at least 0.1 (twice as often: 0.2), so that it is not learned by heart. Unset: dropout is what it is set to.',
    advanced: true,
  }),
  grad_clip: parameter(real(0).default(1), {
    label: 'Gradient clip',
    help: 'Gradients longer than this are shortened to it; 0 turns it off.',
    advanced: true,
  }),
  gradient_checkpointing: parameter(z.enum(['auto', 'off', 'selective', 'full']).default('auto'), {
    label: 'Gradient checkpointing',
    help: 'How much of a step is computed again instead of kept in memory: {off}, {selective} (what is cheap) or {full} (all but the blocks’ inputs: a quarter to half more work). {auto}: {selective}, and {full} where the memory would not suffice. GPT-2’s architecture keeps everything.',
    choices: { auto: 'Automatic', off: 'Off', selective: 'Selective', full: 'Full' },
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
  eval_samples: parameter(whole(0, 16).default(3), {
    label: 'Samples while training',
    help: 'Passages that the model writes at each evaluation of base training, for you to read; 0 for none.',
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

export const trainConfigSchema = z.object(trainShape);
export type TrainConfig = z.infer<typeof trainConfigSchema>;

/** What a backward pass computes again rather than keep: what is cheap, or all but the blocks' inputs. */
export type Recomputation = Exclude<TrainConfig['gradient_checkpointing'], 'auto' | 'off'>;
