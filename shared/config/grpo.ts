/** GRPO against the frozen reward model (specification 5.4); option names follow TRL's GRPOConfig. */
import { z } from 'zod';
import type { GPTConfig } from './model.js';
import { parameter, positive, real, whole } from './parameter.js';

export const grpoShape = {
  reward_shape: parameter(z.enum(['fraction', 'token_log_ratio', 'expected_log_ratio']).default('fraction')),
  group_size: parameter(whole(2, 4096).default(8)),
  prompts_per_step: parameter(whole(1, 65536).default(4)),
  num_iterations: parameter(whole(1, 64).default(1), { advanced: true }),
  epsilon: parameter(real(0, 1).default(0.2)),
  beta: parameter(real(0, 100).default(0.04)),
  kl_target: parameter(positive().nullable().default(null), { advanced: true }),
  ptx_coef: parameter(real(0, 100).default(0)),
  ptx_batch_size: parameter(whole(1, 65536).default(16), { advanced: true }),
  ptx_targets: parameter(z.enum(['text', 'critic']).default('text'), { advanced: true }),
  policy_average: parameter(real(0, 0.9999).default(0), { advanced: true }),
  loss_type: parameter(z.enum(['grpo', 'dapo', 'dr_grpo']).default('grpo'), { advanced: true }),
  scale_rewards: parameter(z.enum(['group', 'batch', 'none']).default('group'), { advanced: true }),
  grpo_learning_rate: parameter(positive().default(1e-5)),
  grpo_lr_schedule: parameter(z.enum(['constant', 'linear']).default('constant'), { advanced: true }),
  grpo_warmup_steps: parameter(whole(0).default(0), { advanced: true }),
  grpo_max_steps: parameter(whole(1).default(200)),
  reward_threshold: parameter(real(0, 1).default(0.95)),
  grpo_patience: parameter(whole(1).default(50)),
  kl_cap: parameter(positive().default(0.5)),
  grpo_eval_prompts: parameter(whole(2).default(512), { advanced: true }),
};

const QUICK_BLOCKS = 256;
const QUICK_TOKENS = 16_384;
/** Scores over the vocabulary: a large one makes every token take long. */
const QUICK_SCORES = 2 ** 28;

/** GRPO steps between two quick checks on held-out text. */
export const PERPLEXITY_INTERVAL = 10;

/**
 * Tokens of held-out text in the quick perplexity checks during GRPO, in whole blocks. Longer blocks are fewer: 256 of 128 tokens
 * were the whole held-out part of the sample book, read by a large model a minute before it was read again.
 */
export const quickTokens = ({ block_size, vocab_size }: Pick<GPTConfig, 'block_size' | 'vocab_size'>): number =>
  block_size * Math.min(QUICK_BLOCKS, Math.ceil(Math.min(QUICK_TOKENS, QUICK_SCORES / vocab_size) / block_size));

/** Whether updates learn text from all that the critic expects at each place of it. */
export const learnsTextFromCritic = (config: Pick<GrpoConfig, 'ptx_coef' | 'ptx_targets'>): boolean =>
  config.ptx_coef > 0 && config.ptx_targets === 'critic';

export const grpoConfigSchema = z.object(grpoShape);
export type GrpoConfig = z.infer<typeof grpoConfigSchema>;

/** The largest weight of one token in nats, in either direction. An expectation over all tokens has no outliers of one that was drawn. */
export const logRatioBound = ({ reward_shape }: Pick<GrpoConfig, 'reward_shape'>): number =>
  reward_shape === 'expected_log_ratio' ? 5 : 3;
