/** How many tokens each phase works through, as configured: what estimates of time rest on. Pure arithmetic. */
import type { ProjectConfig } from '../../../shared/config/index.js';

export interface PhaseTokens {
  /** Forward and backward. */
  readonly trained: number;
  /** Forward only, whole passages at once. */
  readonly read: number;
  /** Forward only, one token after the other. */
  readonly written: number;
}

export type CostedPhase = 'base_training' | 'reward_data' | 'reward_model' | 'grpo';

/** The phases of every cycle but the first, in order. */
export const cyclePhases = ['reward_data', 'reward_model', 'grpo'] as const;

/** Batches of held-out text in an evaluation that is not limited, on average over usual texts. */
const USUAL_EVALUATION = 200;

/** @param samples of reward data, both splits */
export function phaseTokens(
  config: Omit<ProjectConfig, 'vocab_size' | 'mode'>,
  samples: number,
): Record<CostedPhase, PhaseTokens> {
  const { block_size: T } = config;
  const perBatch = config.batch_size * T;
  const evaluations = Math.floor(config.max_iters / config.eval_interval) + 1;
  const completions = config.grpo_max_steps * config.prompts_per_step * config.group_size;
  return {
    base_training: {
      trained: config.max_iters * config.gradient_accumulation_steps * perBatch,
      read: evaluations * (config.eval_iters ?? USUAL_EVALUATION) * perBatch,
      written: 0,
    },
    reward_data: { trained: 0, read: 0, written: samples * T },
    // The reward model reads the trunk once per sample and step.
    reward_model: { trained: 0, read: config.reward_max_iters * config.reward_batch_size * T, written: 0 },
    // Policy, reference and reward model are read once per completion.
    grpo: {
      trained: completions * config.num_iterations * T,
      read: 3 * completions * T,
      written: (completions + 2 * config.grpo_eval_prompts) * T,
    },
  };
}
