/**
 * Computes the reward of a completion (docs/method.md). `fraction` is the specification's: P(natural) of the whole passage.
 * `token_log_ratio` gives each token its own log r − log q, which GRPO calls process supervision; `expected_log_ratio` weighs all
 * that could have been written there instead (expected-evidence.ts), and this is only its report. Evidence is bounded, so that
 * one unlikely token does not decide for a whole completion.
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import { groupAdvantages, tokenAdvantages, type Advantages } from './advantages.js';
import type { RewardScorer } from '../reward/reward-scorer.js';
import type { TokenIds } from '../types.js';

type RewardShape = Pick<GrpoConfig, 'reward_shape' | 'log_ratio_bound' | 'group_size' | 'scale_rewards'>;

/** A token is credited with its own reward alone, not with what follows it. */
const CREDIT_DISCOUNT = 0;

export interface Rewarded extends Advantages {
  /** One for each completion. */
  readonly rewards: Float32Array;
}

/** @throws Error when the shape needs evidence for each token and the reward model's kind has none */
export async function rewarded(
  { score, evidence }: Pick<RewardScorer, 'score' | 'evidence'>,
  { reward_shape, log_ratio_bound: bound, group_size, scale_rewards }: RewardShape,
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
  const tokens = { rewards: bounded, promptLengths, groupSize: group_size };
  return { rewards, ...grouped, advantages: tokenAdvantages(tokens, scale_rewards, CREDIT_DISCOUNT) };
}

/** Mean over each completion; 0 where nothing was written. values: (count, T) flat. */
export function meanOfCompletions(values: Float32Array, promptLengths: readonly number[]): Float32Array {
  const T = values.length / promptLengths.length;
  return Float32Array.from(promptLengths, (length, row) => {
    const written = values.subarray(row * T + length, (row + 1) * T);
    return written.reduce((sum, value) => sum + value, 0) / Math.max(1, written.length);
  });
}
