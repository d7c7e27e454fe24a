/** What a step of GRPO reports besides its update: figures for the log, and some of its completions for users. Pure. */
import { localized, type Message } from '../../../shared/messages/message.js';
import { mean, standardDeviation } from '../statistics/statistics.js';
import { textStatistics, type CopyIndex } from '../statistics/text-statistics.js';
import type { TokenIds } from '../types.js';
import type { ScoredGroups, WrittenGroups } from './grpo-types.js';

/** @param isEvidence the reward is in nats, not a share of one */
export const describeStep = (reward: number, kl: number, isEvidence: boolean): Message =>
  localized(isEvidence ? 'grpo.progress.nats' : 'grpo.progress', { reward, kl });

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

/** @param length tokens of a run that counts as copied */
export function completionValues(rollouts: WrittenGroups, copies: CopyIndex, length: number) {
  const completions = completionsOf(rollouts).map(({ completion }) => completion);
  const completion_mean_length = mean(completions.map((completion) => completion.length));
  return { ...textStatistics(completions, copies, length), completion_mean_length };
}

/** Completions of a group to store, at most. */
const MAX_SHOWN = 16;

export interface ShownCompletion {
  /** Counts from 1, as in the metrics. */
  readonly step: number;
  readonly prompt: TokenIds;
  readonly completion: TokenIds;
  readonly reward: number;
  /** The mean if each token has its own. */
  readonly advantage: number;
}

/** Selects one group, another one at each step, so that the log stays small. `advantages`: (N), or (N, T − 1) by token. */
export function shownCompletions(
  step: number,
  rollouts: WrittenGroups & Pick<ScoredGroups, 'rewards' | 'advantages'>,
  groupSize: number,
): ShownCompletion[] {
  const { promptLengths, rewards, advantages } = rollouts;
  const width = advantages.length / promptLengths.length;
  const groups = Math.max(1, Math.floor(promptLengths.length / groupSize));
  const first = ((step - 1) % groups) * groupSize;
  const shown = completionsOf(rollouts).slice(first, first + Math.min(groupSize, MAX_SHOWN));
  return shown.map(({ prompt, completion }, member) => {
    const row = first + member;
    // Token t is predicted at t − 1.
    const start = width === 1 ? row : row * width + prompt.length - 1;
    const own = advantages.subarray(start, (row + 1) * width);
    return {
      step,
      prompt: prompt.slice(),
      completion: completion.slice(),
      reward: rewards[row] ?? NaN,
      advantage: own.length === 0 ? 0 : mean(own),
    };
  });
}
