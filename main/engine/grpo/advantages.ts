/**
 * GRPO's group-relative advantages, on plain arrays in float64. GRPO: Shao et al. 2024 (DeepSeekMath), section 4.1; Dr. GRPO:
 * Liu et al. 2025. Where the papers leave room, TRL's GRPOTrainer decides.
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import { mean, standardDeviation, type Values } from '../statistics/statistics.js';

/** Added to the standard deviation that advantages are divided by (TRL). */
const STD_EPSILON = 1e-4;

/** A standard deviation below this counts as zero (torch.isclose's absolute tolerance, which TRL uses). */
const ZERO_STD = 1e-8;

export interface Advantages {
  /** (groups * groupSize), in the order of the rewards. */
  readonly advantages: Float64Array;
  /** Sample standard deviation of each group's rewards. (groups) */
  readonly groupStds: Float64Array;
  /** Share of groups whose rewards are all alike: they teach nothing. */
  readonly fractionZeroStd: number;
}

/**
 * (reward - mean of its group) / (std + 1e-4), std being the sample standard deviation (as torch.std) of the group, of
 * the whole batch, or left out (`none`).
 * @param rewards (groups * groupSize), group by group
 * @param groupSize completions of one prompt, at least 2
 * @throws RangeError when the rewards do not fill whole groups
 */
export function groupAdvantages(rewards: Values, groupSize: number, scale: GrpoConfig['scale_rewards']): Advantages {
  const groups = rewards.length / groupSize;
  if (groupSize < 2 || !Number.isInteger(groups) || groups === 0) {
    throw new RangeError(`${String(rewards.length)} rewards are no whole groups of ${String(groupSize)}`);
  }
  const all = Float64Array.from(rewards);
  const batchStd = standardDeviation(all);
  const advantages = new Float64Array(all.length);
  const groupStds = new Float64Array(groups);
  for (let group = 0; group < groups; group++) {
    const members = all.subarray(group * groupSize, (group + 1) * groupSize);
    const centre = mean(members);
    const std = standardDeviation(members);
    groupStds[group] = std;
    const divisor = scale === 'none' ? 1 : (scale === 'group' ? std : batchStd) + STD_EPSILON;
    members.forEach((reward, i) => {
      advantages[group * groupSize + i] = (reward - centre) / divisor;
    });
  }
  return { advantages, groupStds, fractionZeroStd: groupStds.filter((std) => std <= ZERO_STD).length / groups };
}

interface TokenRewards {
  /** What each token is worth. (sequences, length), row by row. */
  readonly rewards: Float32Array;
  /** Tokens given, not written: each row's rewards count from here on. (sequences) */
  readonly promptLengths: readonly number[];
  readonly groupSize: number;
}

/**
 * An advantage for each token, as GRPO's process supervision has it (DeepSeekMath, section 4.1.3): rewards of tokens are
 * centred and scaled over all that a group wrote, and a token is credited with its own and those after it, the one
 * i tokens later with discount^i.
 * @param discount in [0, 1]; the paper's is 1. With 0 a token answers only for itself: hardly any noise, and no foresight
 * @returns (sequences, length − 1): column t − 1 is that of token t; 0 in prompts
 */
export function tokenAdvantages(
  { rewards, promptLengths, groupSize }: TokenRewards,
  scale: GrpoConfig['scale_rewards'],
  discount: number,
): Float64Array {
  const sequences = promptLengths.length;
  const T = rewards.length / sequences;
  const written = (row: number) => rewards.subarray(row * T + (promptLengths[row] ?? T), (row + 1) * T);
  const all = (first: number, count: number) =>
    Float64Array.from(Array.from({ length: count }, (_, i) => Array.from(written(first + i))).flat());
  const batchStd = scale === 'batch' ? standardDeviation(all(0, sequences)) : 1;
  const advantages = new Float64Array(sequences * (T - 1));
  for (let row = 0; row < sequences; row++) {
    if (row % groupSize !== 0) continue;
    const group = all(row, groupSize);
    const centre = mean(group);
    const divisor = scale === 'none' ? 1 : (scale === 'group' ? standardDeviation(group) : batchStd) + STD_EPSILON;
    for (let member = row; member < row + groupSize; member++) {
      let after = 0;
      for (let t = T - 1; t >= (promptLengths[member] ?? T); t--) {
        after = ((rewards[member * T + t] ?? NaN) - centre) / divisor + discount * after;
        advantages[member * (T - 1) + t - 1] = after;
      }
    }
  }
  return advantages;
}
