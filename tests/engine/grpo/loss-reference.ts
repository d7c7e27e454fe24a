/**
 * The GRPO loss on plain arrays in float64: what the engine's tensors are compared with. GRPO:
 * Shao et al. 2024 (DeepSeekMath), section 4.1; k3: Schulman 2020, "Approximating KL divergence"; DAPO: Yu et al. 2025;
 * Dr. GRPO: Liu et al. 2025. Where the papers leave room, TRL's GRPOTrainer decides.
 */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { Values } from '../../../main/engine/statistics/statistics.js';

/** k3, an unbiased estimate of KL(policy || reference) from one sample, never negative: e^d - d - 1, d = ref - policy. */
function k3(logProb: number, referenceLogProb: number): number {
  const difference = referenceLogProb - logProb;
  return Math.expm1(difference) - difference;
}

interface GrpoBatch {
  /** log p of each token under the policy that learns. (sequences, length), row by row, as are the next three. */
  readonly logProbs: Values;
  /** … under the policy that wrote it. */
  readonly oldLogProbs: Values;
  /** … under the frozen model of this cycle; null when beta is 0. */
  readonly referenceLogProbs: Values | null;
  /** 1 where the token was written by the policy, 0 in the prompt. */
  readonly mask: Values;
  /** (sequences) */
  readonly advantages: Values;
}

interface GrpoLossOptions {
  readonly epsilon: number;
  /** Null: the same as epsilon. */
  readonly epsilonHigh: number | null;
  readonly beta: number;
  readonly lossType: GrpoConfig['loss_type'];
  /** What dr_grpo divides by instead of each completion's own length. */
  readonly maxCompletionLength: number;
}

/**
 * Computes the loss of one batch and means over completion tokens of k3 and of clipped ratios: -min(ratio A, clip(ratio, 1 - ε, 1 + ε_high) A) + β k3, averaged per
 * completion and then over completions (grpo), over all completion tokens (dapo), or over sequences times a fixed
 * length (dr_grpo). A completion without tokens counts as 0.
 */
export function grpoLossReference(batch: GrpoBatch, options: GrpoLossOptions) {
  const { logProbs, oldLogProbs, referenceLogProbs, mask, advantages } = batch;
  const sequences = advantages.length;
  const length = logProbs.length / sequences;
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
  const lengths = Array.from({ length: sequences }, (_, row) =>
    sum(Array.from(mask).slice(row * length, (row + 1) * length)),
  );
  const tokens = Math.max(1, sum(lengths));
  const weightOf = (row: number): number => {
    switch (options.lossType) {
      case 'grpo':
        return 1 / (sequences * Math.max(1, lengths[row] ?? 0));
      case 'dapo':
        return 1 / tokens;
      case 'dr_grpo':
        return 1 / (sequences * options.maxCompletionLength);
    }
  };
  const low = 1 - options.epsilon;
  const high = 1 + (options.epsilonHigh ?? options.epsilon);
  let [loss, kl, clipLow, clipHigh] = [0, 0, 0, 0];
  for (let row = 0; row < sequences; row++) {
    const weight = weightOf(row);
    const advantage = advantages[row] ?? Number.NaN;
    for (let at = row * length; at < (row + 1) * length; at++) {
      if (mask[at] !== 1) continue;
      const logProb = logProbs[at] ?? Number.NaN;
      const ratio = Math.exp(logProb - (oldLogProbs[at] ?? Number.NaN));
      const isLow = ratio < low && advantage < 0;
      const isHigh = ratio > high && advantage > 0;
      const clipped = isLow ? low : isHigh ? high : ratio; // what min() picks; the other clips are worse and not taken
      const reference = referenceLogProbs?.[at] ?? logProb;
      const divergence = k3(logProb, reference);
      loss += weight * (options.beta * divergence - clipped * advantage);
      kl += divergence / tokens;
      clipLow += Number(isLow) / tokens;
      clipHigh += Number(isHigh) / tokens;
    }
  }
  return { loss, kl, clipLow, clipHigh };
}
