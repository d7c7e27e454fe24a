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
  /** Share of groups with equal rewards: they have no gradient. */
  readonly fractionZeroStd: number;
}

/**
 * Computes (reward − mean of its group) / (std + 1e-4), with the sample standard deviation (as torch.std) of the group or the whole
 * batch, or without division (`none`).
 * @param rewards (groups * groupSize), group by group
 * @param groupSize completions of one prompt, at least 2
 * @throws RangeError if the rewards do not fill whole groups
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
  /** Reward of each token. (sequences, length), row by row. */
  readonly rewards: Float32Array;
  /** Each row's rewards count from here on. (sequences) */
  readonly promptLengths: readonly number[];
  readonly groupSize: number;
}

/**
 * Computes an advantage for each token, as GRPO's process supervision (DeepSeekMath, section 4.1.3): its reward, centred and scaled
 * over the group's tokens. Unlike the paper's, it leaves out the rewards of later tokens, which are mostly noise.
 * @returns (sequences, length − 1): column t − 1 is that of token t; 0 in prompts
 */
export function tokenAdvantages(
  { rewards, promptLengths, groupSize }: TokenRewards,
  scale: GrpoConfig['scale_rewards'],
): Float64Array {
  const sequences = promptLengths.length;
  const T = rewards.length / sequences;
  const written = (row: number) => rewards.subarray(row * T + (promptLengths[row] ?? T), (row + 1) * T);
  const all = (first: number, count: number) =>
    Float64Array.from(Array.from({ length: count }, (_, i) => Array.from(written(first + i))).flat());
  const batchStd = scale === 'batch' ? standardDeviation(all(0, sequences)) : 1;
  const advantages = new Float64Array(sequences * (T - 1));
  for (let first = 0; first < sequences; first += groupSize) {
    const group = all(first, groupSize);
    const centre = mean(group);
    const divisor = scale === 'none' ? 1 : (scale === 'group' ? standardDeviation(group) : batchStd) + STD_EPSILON;
    for (let row = first; row < first + groupSize; row++) {
      for (let t = promptLengths[row] ?? T; t < T; t++) {
        advantages[row * (T - 1) + t - 1] = ((rewards[row * T + t] ?? NaN) - centre) / divisor;
      }
    }
  }
  return advantages;
}
