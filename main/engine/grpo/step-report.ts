/** The logged figures of a step of GRPO besides its update's. Pure. */
import { mean, standardDeviation } from '../statistics/statistics.js';
import { textStatistics, type CopyIndex } from '../statistics/text-statistics.js';
import type { ScoredGroups, WrittenGroups } from './grpo-types.js';

/** @param isEvidence the reward is in nats, not a share of one */
export const describeStep = (reward: number, kl: number, isEvidence: boolean): string =>
  isEvidence
    ? `reward ${reward.toFixed(3)}, KL ${kl.toFixed(3)}`
    : `reward ${(100 * reward).toFixed(1)}%, KL ${kl.toFixed(3)}`;

export const rewardValues = ({ rewards, groupStds, fractionZeroStd }: ScoredGroups) => ({
  reward: mean(rewards),
  reward_std: mean(groupStds),
  reward_batch_std: standardDeviation(rewards),
  frac_reward_zero_std: fractionZeroStd,
});

export function completionsOf({ ids, promptLengths }: WrittenGroups) {
  const T = ids.length / promptLengths.length;
  return promptLengths.map((prompt, row) => ({
    prompt: ids.subarray(row * T, row * T + prompt),
    completion: ids.subarray(row * T + prompt, (row + 1) * T),
  }));
}

/** @param length of a run of tokens that counts as copied */
export function completionValues(rollouts: WrittenGroups, copies: CopyIndex, length: number) {
  const completions = completionsOf(rollouts).map(({ completion }) => completion);
  const completion_mean_length = mean(completions.map((completion) => completion.length));
  return { ...textStatistics(completions, copies, length), completion_mean_length };
}
