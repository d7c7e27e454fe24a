/**
 * What a completion is rewarded with (docs/method.md). `fraction` is the specification's: P(natural) of the whole passage. It
 * saturates near the prompt's own share of the passage; `log_ratio`, the mean of log r − log q over the completion, does
 * not. `token_log_ratio` gives each token its own, which GRPO calls process supervision; `expected_log_ratio` weighs in its place
 * all that could have been written there (expected-evidence.ts), and this is only its report. Evidence is bounded, so that
 * one token nobody would write does not decide for a whole completion.
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import { groupAdvantages, tokenAdvantages, type Advantages } from './advantages.js';
import type { RewardScorer } from '../reward/reward-scorer.js';
import type { TokenIds } from '../types.js';

type RewardShape = Pick<
  GrpoConfig,
  'reward_shape' | 'log_ratio_bound' | 'group_size' | 'scale_rewards' | 'credit_discount'
>;

export interface Rewarded extends Advantages {
  /** One for each completion. */
  readonly rewards: Float32Array;
}

/** @throws Error when the shape needs evidence for each token and the reward model's kind has none */
export async function rewarded(
  { score, evidence }: Pick<RewardScorer, 'score' | 'evidence'>,
  { reward_shape, log_ratio_bound: bound, group_size, scale_rewards, credit_discount }: RewardShape,
  ids: TokenIds,
  promptLengths: readonly number[],
): Promise<Rewarded> {
  if (reward_shape === 'fraction') {
    const rewards = await score(ids);
    return { rewards, ...groupAdvantages(rewards, group_size, scale_rewards) };
  }
  if (!evidence) throw new Error(`${reward_shape} needs a reward model that weighs tokens`);
  const bounded = (await evidence(ids)).map((nats) => Math.max(-bound, Math.min(bound, nats)));
  const rewards = meanOfCompletions(bounded, promptLengths);
  const grouped = groupAdvantages(rewards, group_size, scale_rewards);
  if (reward_shape === 'log_ratio') return { rewards, ...grouped };
  const tokens = { rewards: bounded, promptLengths, groupSize: group_size };
  return { rewards, ...grouped, advantages: tokenAdvantages(tokens, scale_rewards, credit_discount) };
}

/** Mean over each completion; 0 where nothing was written. values: (count, T) flat. */
export function meanOfCompletions(values: Float32Array, promptLengths: readonly number[]): Float32Array {
  const T = values.length / promptLengths.length;
  return Float32Array.from(promptLengths, (length, row) => {
    const written = values.subarray(row * T + length, (row + 1) * T);
    return written.reduce((sum, value) => sum + value, 0) / Math.max(1, written.length);
  });
}
