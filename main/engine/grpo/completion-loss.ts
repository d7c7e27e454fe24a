/**
 * The loss of a batch of completions, inside a compiled function. Sampled: each written token has an advantage (policy-loss.ts).
 * Expected: each position is credited with every token that could follow (expected-evidence.ts).
 */
import * as tf from '@tensorflow/tfjs';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { Parameters } from '../model/model.js';
import { readBefore } from '../model/sequence-scores.js';
import { nextTokenScores } from '../model/token-losses.js';
import type { CompletionBatch } from './completion-batch.js';
import { expectedEvidence } from './expected-evidence.js';
import type { Teachers, TeachersRead } from './grpo-types.js';
import { averageLoss, maskedMean, policyLoss, type PolicyLoss, type PolicyLossConfig } from './policy-loss.js';

/** Activations to recompute in the backward pass; the overhead is negligible. */
export const RECOMPUTATION: Recomputation = 'selective';

type CompletionLoss = PolicyLoss & { readonly entropy: tf.Scalar };

/** The policy, and the temperature at which it writes. */
interface Policy {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  readonly temperature: number;
}

export function sampledLoss(
  { model, policy, temperature }: Policy,
  batch: CompletionBatch,
  config: PolicyLossConfig,
): CompletionLoss {
  const { ids, mask } = batch;
  const { logProbs, entropies } = nextTokenScores(readBefore(model, policy, ids, RECOMPUTATION), temperature);
  return {
    ...policyLoss({ ...batch, logProbs, maxCompletionLength: ids.shape[1] ?? 0 }, config),
    entropy: maskedMean(entropies, mask),
  };
}

/** Computes β KL(π ‖ q) − E_π[log r − log q]. */
export function expectedLoss(
  { model, policy, temperature }: Policy,
  { ids, mask, beta }: CompletionBatch,
  config: Pick<GrpoConfig, 'beta' | 'loss_type' | 'log_ratio_bound'>,
  teachers: Teachers,
  read: TeachersRead,
): CompletionLoss {
  const networks = {
    policy: readBefore(model, policy, ids, RECOMPUTATION),
    writer: { ...teachers.writer, hidden: read.writer },
    critic: { ...teachers.critic, hidden: read.critic },
  };
  const { evidence, kl, entropies } = expectedEvidence(networks, temperature, config.log_ratio_bound);
  const perToken = tf.sub(tf.mul(kl, beta ?? config.beta), evidence);
  return {
    loss: averageLoss(perToken, mask, config.loss_type, ids.shape[1] ?? 0),
    kl: maskedMean(kl, mask),
    entropy: maskedMean(entropies, mask),
    // There is no ratio to clip.
    clipLow: tf.scalar(0),
    clipHigh: tf.scalar(0),
  };
}
