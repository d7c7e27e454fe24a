/**
 * GRPO's loss (Shao et al. 2024, DeepSeekMath, section 4.1) with TRL's variants, from the log-probabilities of the policy, at
 * sampling time, and of the frozen reference.
 * Shapes: B completions, T positions; everything per token is (B, T), `mask` is 1 on completion tokens.
 */
import * as tf from '@tensorflow/tfjs';
import type { GrpoConfig } from '../../../shared/config/grpo.js';

interface PolicyLossInputs {
  readonly logProbs: tf.Tensor;
  /** Log-probabilities at sampling time; `logProbs` themselves by default, for the first update on new samples. */
  readonly oldLogProbs?: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** (B, 1): one for all tokens of a completion; or (B, T): one for each. */
  readonly advantages: tf.Tensor;
  readonly mask: tf.Tensor;
  /** Length that `dr_grpo` divides by. */
  readonly maxCompletionLength: number;
  /** Overrides the configuration's β, for one that adapts. */
  readonly beta?: tf.Tensor;
}

export type PolicyLossConfig = Pick<GrpoConfig, 'epsilon' | 'beta' | 'loss_type'> & {
  /** Upper bound of the ratio; `epsilon` by default. */
  readonly epsilon_high?: number | null;
};

export interface PolicyLoss {
  readonly loss: tf.Scalar;
  /** Mean k3 estimate of KL(policy ‖ reference) over completion tokens (Schulman 2020). */
  readonly kl: tf.Scalar;
  /** Share of completion tokens whose ratio was clipped from below and from above, with an effect. */
  readonly clipLow: tf.Scalar;
  readonly clipHigh: tf.Scalar;
}

/** Computes the mean over the completion tokens. */
export function maskedMean(values: tf.Tensor, mask: tf.Tensor): tf.Scalar {
  return tf.div(tf.sum(tf.mul(values, mask)), tf.maximum(tf.sum(mask), 1));
}

export function policyLoss(inputs: PolicyLossInputs, config: PolicyLossConfig): PolicyLoss {
  const { logProbs, referenceLogProbs, advantages, mask } = inputs;
  const old = inputs.oldLogProbs ?? stopGradient(logProbs);
  const low = 1 - config.epsilon;
  const high = 1 + (config.epsilon_high ?? config.epsilon);

  const ratio = tf.exp(tf.sub(logProbs, old));
  const clipped = tf.clipByValue(ratio, low, high);
  const surrogate = tf.minimum(tf.mul(ratio, advantages), tf.mul(clipped, advantages));
  const difference = tf.sub(referenceLogProbs, logProbs);
  const k3 = tf.sub(tf.sub(tf.exp(difference), difference), 1);
  const beta = inputs.beta ?? config.beta;
  const perToken = beta === 0 ? tf.neg(surrogate) : tf.sub(tf.mul(k3, beta), surrogate);

  const positive = tf.cast(tf.greater(advantages, 0), 'float32');
  const negative = tf.cast(tf.less(advantages, 0), 'float32');
  return {
    loss: averageLoss(perToken, mask, config.loss_type, inputs.maxCompletionLength),
    kl: maskedMean(k3, mask),
    clipLow: maskedMean(tf.mul(tf.cast(tf.less(ratio, low), 'float32'), negative), mask),
    clipHigh: maskedMean(tf.mul(tf.cast(tf.greater(ratio, high), 'float32'), positive), mask),
  };
}

/** Averages a loss of each token (B, T) by the configured rule. */
export function averageLoss(
  perToken: tf.Tensor,
  mask: tf.Tensor,
  kind: GrpoConfig['loss_type'],
  maxCompletionLength: number,
): tf.Scalar {
  const masked = tf.mul(perToken, mask);
  switch (kind) {
    case 'grpo': // every completion counts the same
      return tf.mean(tf.div(tf.sum(masked, 1), tf.maximum(tf.sum(mask, 1), 1)));
    case 'dapo': // every token counts the same (Yu et al. 2025)
      return tf.div(tf.sum(masked), tf.maximum(tf.sum(mask), 1));
    case 'dr_grpo': // no length in the denominator (Liu et al. 2025)
      return tf.div(tf.sum(masked), (perToken.shape[0] ?? 1) * maxCompletionLength);
  }
}

/** Returns the value as a constant without gradient. */
export const stopGradient = tf.customGrad((x, save) => {
  (save as (tensors: tf.Tensor[]) => void)([]);
  return { value: (x as tf.Tensor).clone(), gradFunc: (dy) => tf.zerosLike(dy as tf.Tensor) };
});
