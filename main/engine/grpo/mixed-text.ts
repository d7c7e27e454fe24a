/**
 * The ordinary text in GRPO's updates: random passages with the token after each; or, where it is learned from the critic,
 * passages with what the critic makes of them. That model is large and the text does not change, so it reads each passage
 * once: the text is cut into batches of passages that stay together, and a step takes one of them.
 */
import * as tf from '@tensorflow/tfjs';
import { architectureOf } from '../model/architectures.js';
import { trunk, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { streams, uniformInt } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { getBatch, type Batch } from '../train/dataset.js';
import type { TokenSource } from '../types.js';
import { learnsTextFromCritic } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { textBatchesRead } from '../../../shared/costs/mixed-text.js';
import type { GrpoOptions } from './grpo.js';
import type { Read } from './expected-evidence.js';

/** `hidden`: the critic's states of the tokens in x, (B, T, its width), where the text is learned from it. */
export type MixedText = Batch & { readonly hidden?: Float32Array };

/** The network that the text is learned from. */
type Critic = Omit<Read, 'hidden'>;

/**
 * @param critic where the evidence is expected over all tokens; its parameters live in `session`
 * @returns the text of a step; null where none is mixed in
 */
export function createTextMix(
  { config, model, trainTokens, seed, env }: GrpoOptions,
  session: Session,
  critic: Critic | null,
): (step: number) => MixedText | null {
  const { ptx_coef, ptx_batch_size: batchSize } = config;
  const blockSize = model.block_size;
  const stream = streams.pretrainingBatch;
  if (ptx_coef === 0) return () => null;
  if (!learnsTextFromCritic(config))
    return (step) => getBatch(trainTokens, { batchSize, blockSize, seed, stream, step });
  if (!critic) throw new Error('text is learned from a critic where the evidence is expected');
  const batches = textBatchesRead(trainTokens.length, { batchSize, blockSize, width: critic.model.n_embd });
  const read = session.compile((x: tf.Tensor) => trunk(critic.model, critic.parameters, x), {
    name: 'read_text',
    precision: readingPrecision(env.runtime, critic.model),
  });
  const known = new Map<number, MixedText>();
  return (step) => {
    const batch = uniformInt(seed, stream, step, 0, batches);
    const there = known.get(batch);
    if (there) return there;
    const text = passagesOf(trainTokens, batch, { batches, batchSize, blockSize });
    const x = tf.tensor2d(text.x, [batchSize, blockSize], 'int32');
    const hidden = read(x);
    const made = { ...text, hidden: hidden.dataSync<'float32'>() };
    tf.dispose([x, hidden]);
    known.set(batch, made);
    return made;
  };
}

/** Those of a batch lie as far from each other as the text allows, so that a step sees all of it. */
function passagesOf(
  source: TokenSource,
  batch: number,
  {
    batches,
    batchSize,
    blockSize: T,
  }: { readonly batches: number; readonly batchSize: number; readonly blockSize: number },
): Batch {
  const [x, y] = [new Int32Array(batchSize * T), new Int32Array(batchSize * T)];
  const passages = Math.floor((source.length - 1) / T);
  for (let row = 0; row < batchSize; row++) {
    const passage = Math.floor(((row * batches + batch) * passages) / (batches * batchSize));
    const ids = source.read(passage * T, T + 1);
    x.set(ids.subarray(0, T), row * T);
    y.set(ids.subarray(1), row * T);
  }
  return { x, y };
}

/**
 * Cross-entropy of the policy against all that the critic expects at each place (word-level distillation, Kim and Rush
 * 2016). x: (B, T); hidden: (B, T, the critic's width).
 */
export function distillationLoss(
  model: GPTConfig,
  policy: Parameters,
  critic: Critic,
  { x, hidden }: { readonly x: tf.Tensor; readonly hidden: tf.Tensor },
): tf.Scalar {
  const logitsOf = (of: Critic, states: tf.Tensor) =>
    architectureOf(of.model).network(of.model, of.parameters).logits(states);
  const wanted = tf.softmax(logitsOf(critic, hidden));
  const own = tf.logSoftmax(logitsOf({ model, parameters: policy }, trunk(model, policy, x, undefined, 'selective')));
  return tf.neg(tf.mean(tf.sum(tf.mul(wanted, own), -1)));
}
