/**
 * The pre-training mix (PPO-ptx; Ouyang et al. 2022, section 3.5): ordinary text in each update, learned from the next tokens or
 * from the critic's distributions.
 */
import * as tf from '@tensorflow/tfjs';
import { learnsTextFromCritic } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { trunk, type Parameters } from '../model/model.js';
import { nextTokenLoss } from '../model/token-losses.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { getBatch } from '../train/dataset.js';
import { RECOMPUTATION } from './completion-loss.js';
import { createCriticReading } from './critic-reading.js';
import { distillationLoss } from './expected-evidence.js';
import type { GrpoOptions, MixedText, Teachers } from './grpo-types.js';

/** (B, T) ids, and the next tokens or the critic's hidden states. */
export type TextTensors =
  | { readonly [part in 'x' | 'y']: tf.Tensor }
  | { readonly [part in 'x' | 'hidden']: tf.Tensor };

/** Uploads the text. The caller disposes of it. */
export function textTensors(text: MixedText, T: number): TextTensors {
  const rows = text.x.length / T;
  const x = tf.tensor2d(text.x, [rows, T], 'int32');
  if ('y' in text) return { x, y: tf.tensor2d(text.y, [rows, T], 'int32') };
  return { x, hidden: tf.tensor3d(text.hidden, [rows, T, text.hidden.length / text.x.length]) };
}

/** Computes the loss of mixed-in text, inside a compiled function. */
export function mixedTextLoss({ model, policy, teachers }: TextLearner, text: TextTensors): tf.Scalar {
  if ('y' in text) return pretrainingLoss(model, policy, text.x, text.y);
  if (!teachers) throw new Error('text is learned from a critic only if the evidence is expected');
  const hidden = trunk(model, policy, text.x, undefined, RECOMPUTATION);
  return distillationLoss({
    policy: { model, parameters: policy, hidden },
    critic: { ...teachers.critic, hidden: text.hidden },
  });
}

interface TextLearner {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  readonly teachers: Teachers | null;
}

/** Computes the policy's cross-entropy on ordinary text. x, y: (B, T). */
export const pretrainingLoss = (model: GPTConfig, policy: Parameters, x: tf.Tensor, y: tf.Tensor): tf.Scalar =>
  nextTokenLoss({
    model,
    parameters: policy,
    hidden: trunk(model, policy, x, undefined, RECOMPUTATION),
    labels: y,
  });

/** Returns the text of each step, null if the user requested a stop; undefined without a mix. */
export function createTextSource(
  options: GrpoOptions,
  session: Session,
  teachers: Teachers | null,
): ((step: number) => Promise<MixedText | null>) | undefined {
  const { config, model, trainTokens, seed } = options;
  if (config.ptx_coef === 0) return undefined;
  if (learnsTextFromCritic(config)) {
    if (!teachers) throw new Error('text is learned from a critic only if the evidence is expected');
    return createCriticReading(options, session, teachers.critic);
  }
  const batch = { batchSize: config.ptx_batch_size, blockSize: model.block_size };
  return async (step) => getBatch(trainTokens, { ...batch, seed, stream: streams.pretrainingBatch, step });
}
