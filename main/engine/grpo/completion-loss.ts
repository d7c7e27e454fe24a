/**
 * The tensors of a batch of completions, N of T tokens, and their loss inside a compiled function. Sampled: each written token has
 * an advantage (policy-loss.ts). Expected: each position is credited with every token that could follow (expected-evidence.ts).
 */
import * as tf from '@tensorflow/tfjs';
import { logRatioBound, type GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { Parameters } from '../model/model.js';
import { readBefore } from '../model/sequence-scores.js';
import { nextTokenScores } from '../model/token-losses.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import { expectedEvidence } from './expected-evidence.js';
import { averageLoss, maskedMean, policyLoss, type PolicyLoss, type PolicyLossConfig } from './policy-loss.js';
import type { Rollouts, Teachers, TeachersRead } from './grpo-types.js';

export type CompletionBatch = {
  readonly ids: tf.Tensor;
  /** (N, T−1): 1 if the predicted token belongs to the completion. */
  readonly mask: tf.Tensor;
  readonly advantages: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** Of the policy that wrote, for several passes over a batch. */
  readonly oldLogProbs?: tf.Tensor;
  /** Overrides the configuration's. */
  readonly beta?: tf.Tensor;
  readonly read?: TeachersRead;
};

/** Uploads the completions from `first` to before `end`. The caller disposes of them. */
export function completionBatch(
  { ids, promptLengths, advantages, referenceLogProbs, read }: Rollouts,
  rows: { readonly first: number; readonly end: number },
  beta: number,
): CompletionBatch {
  const N = promptLengths.length;
  const T = ids.length / N;
  const count = rows.end - rows.first;
  const ofRows = <A extends { slice(from: number, to: number): A; readonly length: number }>(all: A) =>
    all.slice((rows.first * all.length) / N, (rows.end * all.length) / N);
  return {
    ids: tf.tensor2d(ofRows(Int32Array.from(ids)), [count, T], 'int32'),
    mask: tf.tensor2d(ofRows(completionMask(promptLengths, T)), [count, T - 1]),
    advantages: tf.tensor2d(ofRows(Float32Array.from(advantages)), [count, advantages.length / N]),
    referenceLogProbs: tf.tensor2d(ofRows(referenceLogProbs), [count, T - 1]),
    beta: tf.scalar(beta),
    ...(read ? { read } : {}),
  };
}

/** Marks the positions that predict a token of a completion with 1. (N, T−1), flat. */
export function completionMask(promptLengths: readonly number[], T: number): Float32Array {
  const mask = new Float32Array(promptLengths.length * (T - 1));
  promptLengths.forEach((length, row) => mask.fill(1, row * (T - 1) + length - 1, (row + 1) * (T - 1)));
  return mask;
}

/** Activations to recompute in the backward pass; the overhead is negligible. */
export const RECOMPUTATION: Recomputation = 'selective';

export type CompletionLoss = PolicyLoss & { readonly entropy: tf.Scalar };

/** The policy, and the rule by which it writes. */
interface Policy {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  readonly rule: SamplingRule;
}

export function sampledLoss(
  { model, policy, rule }: Policy,
  batch: CompletionBatch,
  config: PolicyLossConfig,
): CompletionLoss {
  const { ids, mask } = batch;
  const { logProbs, entropies } = nextTokenScores(readBefore(model, policy, ids, RECOMPUTATION), rule);
  return {
    ...policyLoss({ ...batch, logProbs, maxCompletionLength: ids.shape[1] ?? 0 }, config),
    entropy: maskedMean(entropies, mask),
  };
}

/** Computes β KL(π ‖ q) − E_π[log r − log q]. */
export function expectedLoss(
  { model, policy, rule }: Policy,
  { ids, mask, beta }: CompletionBatch,
  config: Pick<GrpoConfig, 'beta' | 'loss_type' | 'reward_shape'>,
  teachers: Teachers,
  read: TeachersRead,
): CompletionLoss {
  const networks = {
    policy: readBefore(model, policy, ids, RECOMPUTATION),
    writer: { ...teachers.writer, hidden: read.writer },
    critic: { ...teachers.critic, hidden: read.critic },
  };
  const { evidence, kl, entropies } = expectedEvidence(networks, rule, logRatioBound(config));
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
