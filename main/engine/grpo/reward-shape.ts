/**
 * Rewards of completions (docs/method.md). `fraction` is the specification's: P(natural) of the whole passage. `token_log_ratio`
 * gives each token its own log r − log q, GRPO's process supervision. `expected_log_ratio` learns from all tokens that could follow
 * (expected-evidence.ts); these rewards are only its report. Evidence is bounded, so that one token does not outweigh a completion.
 */
import { logRatioBound, type GrpoConfig } from '../../../shared/config/grpo.js';
import { groupAdvantages, tokenAdvantages, type Advantages } from './advantages.js';
import type { RewardAnswers } from '../reward/rollout-scorer.js';

type RewardShape = Pick<GrpoConfig, 'reward_shape' | 'group_size' | 'scale_rewards'>;

export interface Rewarded extends Advantages {
  /** One for each completion. */
  readonly rewards: Float32Array;
}

/** @throws Error if the shape needs evidence for each token and the reward model has none */
export function rewarded(
  { fractions, evidence }: RewardAnswers,
  { reward_shape, group_size, scale_rewards }: RewardShape,
  promptLengths: readonly number[],
): Rewarded {
  if (reward_shape === 'fraction') {
    const rewards = fractions();
    return { rewards, ...groupAdvantages(rewards, group_size, scale_rewards) };
  }
  if (!evidence) throw new Error(`${reward_shape} needs a reward model that weighs tokens`);
  const bound = logRatioBound({ reward_shape });
  const bounded = evidence.map((nats) => Math.max(-bound, Math.min(bound, nats)));
  const rewards = meanOfCompletions(bounded, promptLengths);
  const grouped = groupAdvantages(rewards, group_size, scale_rewards);
  const tokens = { rewards: bounded, promptLengths, groupSize: group_size };
  return { rewards, ...grouped, advantages: tokenAdvantages(tokens, scale_rewards) };
}

/** Averages values, (count, T) flat, over each completion; 0 if it is empty. */
export function meanOfCompletions(values: Float32Array, promptLengths: readonly number[]): Float32Array {
  const T = values.length / promptLengths.length;
  return Float32Array.from(promptLengths, (length, row) => {
    const written = values.subarray(row * T + length, (row + 1) * T);
    return written.reduce((sum, value) => sum + value, 0) / Math.max(1, written.length);
  });
}
