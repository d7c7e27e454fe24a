/** GRPO against the frozen reward model (specification 5.4); option names follow TRL's GRPOConfig. */
import { z } from 'zod';
import type { GPTConfig } from './model.js';
import { parameter, positive, real, whole } from './parameter.js';

export const grpoShape = {
  reward_shape: parameter(z.enum(['fraction', 'token_log_ratio', 'expected_log_ratio']).default('fraction'), {
    label: 'Reward shape',
    help: 'What a completion is rewarded with: {fraction} is how natural the whole passage is; {token_log_ratio} is how much likelier the critic finds each token than the writer did; {expected_log_ratio} weighs, in place of the token that was written, all that could have been. Both log ratios need {reward_kind=critic}.',
    choices: {
      fraction: 'How natural the passage is',
      token_log_ratio: 'Log ratio of each token',
      expected_log_ratio: 'Expected log ratio',
    },
  }),
  log_ratio_bound: parameter(positive().default(3), {
    label: 'Log-ratio bound',
    help: 'How many nats a token counts for at most, in either direction; of no use with {reward_shape=fraction}.',
    advanced: true,
  }),
  group_size: parameter(whole(2, 4096).default(8), {
    label: 'Group size',
    help: 'Completions written for each prompt; each is judged against the others of its group.',
  }),
  prompts_per_step: parameter(whole(1, 65536).default(4), {
    label: 'Prompts per step',
    help: 'Different prompts in each step.',
  }),
  num_iterations: parameter(whole(1, 64).default(1), {
    label: 'Updates per batch',
    help: 'How many times each batch of completions is learned from.',
    advanced: true,
  }),
  epsilon: parameter(real(0, 1).default(0.2), {
    label: 'Clip ε',
    help: 'How far an update may push a token’s probability down, as a ratio.',
  }),
  beta: parameter(real(0, 100).default(0.04), {
    label: 'KL coefficient β',
    help: 'How strongly the model is held to the one this cycle began with.',
  }),
  kl_target: parameter(positive().nullable().default(null), {
    label: 'KL target',
    help: 'β grows or shrinks by up to a fifth each step, so that the model stays about this far (nats per token) from where the cycle began; unset keeps β as it is.',
    advanced: true,
  }),
  ptx_coef: parameter(real(0, 100).default(0), {
    label: 'Pre-training mix',
    help: 'How much of the ordinary training loss on the text is mixed into each GRPO update, against losing language; 0 leaves it out.',
  }),
  ptx_batch_size: parameter(whole(1, 65536).default(16), {
    label: 'Pre-training batch',
    help: 'Passages of the text in each GRPO update, where the pre-training mix is above 0.',
    advanced: true,
  }),
  ptx_targets: parameter(z.enum(['text', 'critic']).default('text'), {
    label: 'Learn the mixed-in text from',
    help: 'What is learned at each place of the text that is mixed in: {text} is the token that follows, {critic} all that the critic expects there. {critic} needs {reward_shape=expected_log_ratio}.',
    choices: { text: 'The text itself', critic: 'The critic' },
    advanced: true,
  }),
  policy_average: parameter(real(0, 0.9999).default(0), {
    label: 'Average of weights',
    help: 'Keep an average of the weights along GRPO instead of the last: the share of the old average that stays at each step; 0 keeps the last.',
    advanced: true,
  }),
  loss_type: parameter(z.enum(['grpo', 'dapo', 'dr_grpo']).default('grpo'), {
    label: 'Loss',
    help: 'How the losses of tokens are averaged: {grpo} over each completion, {dapo} over all tokens, {dr_grpo} by a fixed length.',
    choices: { grpo: 'Per completion (GRPO)', dapo: 'Over all tokens (DAPO)', dr_grpo: 'By a fixed length (Dr. GRPO)' },
    advanced: true,
  }),
  scale_rewards: parameter(z.enum(['group', 'batch', 'none']).default('group'), {
    label: 'Scale rewards by',
    help: 'Advantages are divided by the spread of rewards in the group, in the batch, or not at all.',
    choices: { group: 'Spread in the group', batch: 'Spread in the batch', none: 'Nothing' },
    advanced: true,
  }),
  grpo_learning_rate: parameter(positive().default(1e-5), {
    label: 'GRPO learning rate',
    help: 'Size of a GRPO update at its largest; much smaller than in base training.',
  }),
  grpo_lr_schedule: parameter(z.enum(['constant', 'linear']).default('constant'), {
    label: 'GRPO decay',
    help: 'Whether the GRPO learning rate stays as it is, or falls in a straight line to nothing over the most steps that GRPO may take.',
    choices: { constant: 'Constant', linear: 'A straight line' },
    advanced: true,
  }),
  grpo_warmup_steps: parameter(whole(0).default(0), {
    label: 'GRPO warm-up steps',
    help: 'The GRPO learning rate rises from nothing over this many steps.',
    advanced: true,
  }),
  grpo_max_steps: parameter(whole(1).default(200), {
    label: 'GRPO steps',
    help: 'At most this many steps; the stopping rules below may end sooner.',
  }),
  reward_threshold: parameter(real(0, 1).default(0.95), {
    label: 'Reward threshold',
    help: 'Stop when the mean reward reaches this: the reward model is fooled and a better one is due (0.9 to 0.95).',
  }),
  grpo_patience: parameter(whole(1).default(50), {
    label: 'Reward patience (steps)',
    help: 'Stop when the smoothed reward has not risen for this many steps.',
  }),
  kl_cap: parameter(positive().default(0.5), {
    label: 'KL cap',
    help: 'Hard stop when the model has moved this far (nats per token) from where the cycle began; the last good weights are kept.',
  }),
  grpo_eval_prompts: parameter(whole(2).default(512), {
    label: 'Judging prompts',
    help: 'Fresh held-out prompts on which the mean reward is measured before and after GRPO.',
    advanced: true,
  }),
};

const QUICK_WINDOWS = 256;
const QUICK_TOKENS = 16_384;
/** Scores over the vocabulary: a large one makes every token take long. */
const QUICK_SCORES = 2 ** 28;

/** GRPO steps between two quick checks on held-out text. */
export const PERPLEXITY_INTERVAL = 10;

/**
 * Windows of held-out text in the quick perplexity checks during GRPO. Longer ones are fewer: 256 of 128 tokens were the
 * whole held-out part of the sample book, read by a large model a minute before it was read again.
 */
export const quickWindows = ({ block_size, vocab_size }: Pick<GPTConfig, 'block_size' | 'vocab_size'>): number =>
  Math.min(QUICK_WINDOWS, Math.ceil(Math.min(QUICK_TOKENS, QUICK_SCORES / vocab_size) / block_size));

/** Whether updates learn text from all that the critic expects at each place of it. */
export const learnsTextFromCritic = (config: Pick<GrpoConfig, 'ptx_coef' | 'ptx_targets'>): boolean =>
  config.ptx_coef > 0 && config.ptx_targets === 'critic';

export const grpoConfigSchema = z.object(grpoShape);
export type GrpoConfig = z.infer<typeof grpoConfigSchema>;
