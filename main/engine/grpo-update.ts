/** One GRPO update as compiled functions: score under the reference, then loss, gradients and AdamW on the policy. */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import type { GrpoConfig } from '../../shared/config/grpo.js';
import { tokenLogProbs } from './layers.js';
import { lmLogits, trunk, type Parameters } from './model.js';
import { adamW, createMoments, gradientsOf, stepScalars, type AdamWConfig } from './optimizer.js';
import { meanEntropy, policyLoss, type PolicyLoss } from './policy-loss.js';
import type { Session } from './runtime/types.js';
import type { NamedArrays } from './types.js';

/** Completions of one step on the host: ids (N, T), where each prompt ends, and one advantage each. */
export interface Rollouts {
  readonly ids: Uint16Array;
  readonly promptLengths: readonly number[];
  readonly advantages: Float64Array;
}

export interface UpdateMetrics {
  readonly loss: number;
  readonly kl: number;
  readonly entropy: number;
  readonly clip_ratio_low: number;
  readonly clip_ratio_high: number;
  readonly grad_norm: number;
}

/** Scores of the next tokens (N, T−1, V) at the temperature the completions were sampled with. */
function nextTokenLogits(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, temperature: number): tf.Tensor {
  const [N = 0, T = 0] = ids.shape;
  const hidden = trunk(model, parameters, tf.slice(ids, [0, 0], [N, T - 1]));
  return tf.div(lmLogits(parameters, hidden), temperature);
}

const nextTokens = (ids: tf.Tensor): tf.Tensor => {
  const [N = 0, T = 0] = ids.shape;
  return tf.slice(ids, [0, 1], [N, T - 1]);
};

/** log p of tokens 1…T−1 given those before. ids: (N, T); result: (N, T−1). */
export function sequenceLogProbs(model: GPTConfig, parameters: Parameters, ids: tf.Tensor, temperature: number) {
  return tokenLogProbs(nextTokenLogits(model, parameters, ids, temperature), nextTokens(ids));
}

/**
 * The loss of a batch, and the entropy, inside a compiled function.
 * @param mask (N, T−1): 1 where the predicted token belongs to the completion
 */
export function grpoLoss(
  model: GPTConfig,
  policy: Parameters,
  temperature: number,
  batch: {
    readonly ids: tf.Tensor;
    readonly mask: tf.Tensor;
    readonly advantages: tf.Tensor;
    readonly referenceLogProbs: tf.Tensor;
    readonly oldLogProbs?: tf.Tensor;
  },
  config: Pick<GrpoConfig, 'epsilon' | 'epsilon_high' | 'beta' | 'loss_type'>,
): PolicyLoss & { readonly entropy: tf.Scalar } {
  const { ids, mask } = batch;
  const logits = nextTokenLogits(model, policy, ids, temperature);
  const logProbs = tokenLogProbs(logits, nextTokens(ids));
  return {
    ...policyLoss({ ...batch, logProbs, maxCompletionLength: ids.shape[1] ?? 0 }, config),
    entropy: meanEntropy(logits, mask),
  };
}

export interface PolicyUpdater {
  readonly moments: ReturnType<typeof createMoments>;
  /** Learns once, or `num_iterations` times, from a batch; the metrics are those of the first pass (KL and entropy) and the last (clipping). */
  update(rollouts: Rollouts, step: number): UpdateMetrics;
}

export function createPolicyUpdater(
  session: Session,
  model: GPTConfig,
  policy: Parameters,
  reference: Parameters,
  config: GrpoConfig,
  temperature: number,
  saved: NamedArrays | undefined,
): PolicyUpdater {
  const T = model.block_size;
  const N = config.group_size * config.prompts_per_step;
  const adam: AdamWConfig = {
    beta1: 0.9,
    beta2: 0.999,
    weightDecay: config.grpo_weight_decay,
    gradClip: config.grpo_grad_clip,
  };
  const moments = createMoments(session, policy, saved);

  const score = (parameters: Parameters, name: string) =>
    session.compile((ids: tf.Tensor) => [sequenceLogProbs(model, parameters, ids, temperature)], { name });
  const scoreReference = score(reference, 'reference_log_probs');
  const scorePolicy = score(policy, 'policy_log_probs');

  const learn = (
    ids: tf.Tensor,
    mask: tf.Tensor,
    advantages: tf.Tensor,
    referenceLogProbs: tf.Tensor,
    scalars: tf.Tensor,
    oldLogProbs?: tf.Tensor,
  ): readonly [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor] => {
    const batch = { ids, mask, advantages, referenceLogProbs, ...(oldLogProbs ? { oldLogProbs } : {}) };
    let outcome: ReturnType<typeof grpoLoss> | undefined;
    const { value, gradients } = gradientsOf(() => {
      outcome = grpoLoss(model, policy, temperature, batch, config);
      // What only the log needs must outlive the gradient's own tidy.
      tf.keep(outcome.kl);
      tf.keep(outcome.entropy);
      tf.keep(outcome.clipLow);
      tf.keep(outcome.clipHigh);
      return outcome.loss;
    }, policy);
    if (!outcome) throw new Error('the loss was not evaluated');
    const gradNorm = adamW(policy, gradients, moments, scalars as tf.Tensor1D, adam);
    const { kl, entropy, clipLow, clipHigh } = outcome;
    return [value, released(kl), released(entropy), released(clipLow), released(clipHigh), gradNorm];
  };
  const learnFresh = session.compile(
    (ids: tf.Tensor, mask: tf.Tensor, advantages: tf.Tensor, reference: tf.Tensor, scalars: tf.Tensor) =>
      learn(ids, mask, advantages, reference, scalars),
    { name: 'grpo_step' },
  );
  const learnAgain = session.compile(learn as Required6, { name: 'grpo_step_again' });

  return {
    moments,
    update({ ids, promptLengths, advantages }, step) {
      const inputs = {
        ids: tf.tensor2d(Int32Array.from(ids), [N, T], 'int32'),
        mask: tf.tensor2d(completionMask(promptLengths, T), [N, T - 1]),
        advantages: tf.tensor2d(Float32Array.from(advantages), [N, 1]),
      };
      const [reference] = scoreReference(inputs.ids);
      const old = config.num_iterations > 1 ? scorePolicy(inputs.ids)[0] : undefined;
      let metrics: UpdateMetrics | undefined;
      for (let iteration = 0; iteration < config.num_iterations; iteration++) {
        const updates = step * config.num_iterations + iteration + 1;
        const scalars = tf.tensor1d(stepScalars(updates, config.grpo_learning_rate, adam));
        const outputs = old
          ? learnAgain(inputs.ids, inputs.mask, inputs.advantages, reference, scalars, old)
          : learnFresh(inputs.ids, inputs.mask, inputs.advantages, reference, scalars);
        const [loss = NaN, kl = NaN, entropy = NaN, low = NaN, high = NaN, gradNorm = NaN] = outputs.map(
          (output) => output.dataSync()[0] ?? NaN,
        );
        tf.dispose([scalars, ...outputs]);
        metrics = {
          loss: metrics?.loss ?? loss,
          kl: metrics?.kl ?? kl,
          entropy: metrics?.entropy ?? entropy,
          clip_ratio_low: low,
          clip_ratio_high: high,
          grad_norm: metrics?.grad_norm ?? gradNorm,
        };
      }
      tf.dispose([...Object.values(inputs), reference, ...(old ? [old] : [])]);
      if (!metrics) throw new Error('num_iterations must be at least 1');
      return metrics;
    },
  };
}

type Required6 = (
  ids: tf.Tensor,
  mask: tf.Tensor,
  advantages: tf.Tensor,
  referenceLogProbs: tf.Tensor,
  scalars: tf.Tensor,
  oldLogProbs: tf.Tensor,
) => readonly [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];

/** A kept tensor, handed over to the tidy around. */
function released(kept: tf.Tensor): tf.Tensor {
  const copy = kept.clone();
  kept.dispose();
  return copy;
}

/** 1 where the token that is predicted at a position was written by the policy. (N, T−1), flat. */
export function completionMask(promptLengths: readonly number[], T: number): Float32Array {
  const mask = new Float32Array(promptLengths.length * (T - 1));
  promptLengths.forEach((length, row) => mask.fill(1, row * (T - 1) + length - 1, (row + 1) * (T - 1)));
  return mask;
}
