/**
 * The pre-training mix (PPO-ptx; Ouyang et al. 2022, section 3.5): ordinary text in each update, learned from the next tokens or
 * from the critic's distributions.
 */
import * as tf from '@tensorflow/tfjs';
import { learnsTextFromCritic } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { segmentsOf } from '../../../shared/costs/mixed-text.js';
import { trunk, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { nextTokenLoss } from '../model/token-losses.js';
import { streams, uniformInt } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { getBatch } from '../train/dataset.js';
import type { TokenSource } from '../types.js';
import { RECOMPUTATION } from './completion-loss.js';
import { distillationLoss } from './expected-evidence.js';
import type { GrpoOptions, MixedText, ReadText, Teacher, Teachers } from './grpo-types.js';
import { valuesOf } from '../runtime/reading.js';

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
export function mixedTextLoss(
  { model, policy, teachers }: Readonly<{ model: GPTConfig; policy: Parameters; teachers: Teachers | null }>,
  text: TextTensors,
): tf.Scalar {
  const hidden = trunk(model, policy, text.x, undefined, RECOMPUTATION);
  if ('y' in text) return nextTokenLoss({ model, parameters: policy, hidden, labels: text.y });
  if (!teachers) throw new Error('text is learned from a critic only if the evidence is expected');
  return distillationLoss({
    policy: { model, parameters: policy, hidden },
    critic: { ...teachers.critic, hidden: text.hidden },
  });
}

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

/**
 * Creates text with the critic's hidden states. The critic is large and the text does not change, so it reads each segment of the
 * text once, on first use. Passages start anywhere in a segment: fixed ones would be memorised.
 * @returns the passages of a step; null if the user requested a stop
 */
export function createCriticReading(
  { config, model, trainTokens, seed, env }: Pick<GrpoOptions, 'config' | 'model' | 'trainTokens' | 'seed' | 'env'>,
  session: Session,
  critic: Teacher,
): (step: number) => Promise<ReadText | null> {
  const [B, T, C] = [config.ptx_batch_size, model.block_size, critic.model.n_embd];
  const segments = segmentsOf(trainTokens.length, { blockSize: T, width: C });
  const read = session.compile((x: tf.Tensor) => trunk(critic.model, critic.parameters, x), {
    name: 'read_text',
    precision: readingPrecision(env.runtime, critic.model),
  });
  const cache = new Map<number, ReadText>();
  const segment = async (index: number): Promise<ReadText> => {
    const cached = cache.get(index);
    if (cached) return cached;
    const last = trainTokens.length - segments.length;
    const start = segments.count > 1 ? Math.floor((index * last) / (segments.count - 1)) : 0;
    const fresh = await readSegment(trainTokens, start, segments, T, read);
    cache.set(index, fresh);
    return fresh;
  };
  const draw = (step: number, index: number, below: number): number =>
    uniformInt(seed, streams.pretrainingBatch, step, index, below);

  return async (step) => {
    const [x, hidden] = [new Int32Array(B * T), new Float32Array(B * T * C)];
    for (let row = 0; row < B; row++) {
      await env.yieldToEventLoop();
      if (env.stop.requested) return null;
      const from = await segment(draw(step, 2 * row, segments.count));
      const at = draw(step, 2 * row + 1, segments.length - T + 1);
      x.set(from.x.subarray(at, at + T), row * T);
      hidden.set(from.hidden.subarray(at * C, (at + T) * C), row * T * C);
    }
    return { x, hidden };
  };
}

/** Reads half-overlapping windows; of each but the first only the later half counts, which has more context. */
async function readSegment(
  source: TokenSource,
  start: number,
  { windows, length }: ReturnType<typeof segmentsOf>,
  T: number,
  read: (x: tf.Tensor) => tf.Tensor,
): Promise<ReadText> {
  const x = Int32Array.from(source.read(start, length));
  const stride = Math.ceil(T / 2);
  const rows = new Int32Array(windows * T);
  for (let row = 0; row < windows; row++) rows.set(x.subarray(row * stride, row * stride + T), row * T);
  const input = tf.tensor2d(rows, [windows, T], 'int32');
  const states = read(input);
  const values = await valuesOf(states);
  tf.dispose([input, states]);
  const C = values.length / rows.length;
  const hidden = new Float32Array(length * C);
  for (let row = 0; row < windows; row++) {
    const from = row === 0 ? 0 : T - stride;
    hidden.set(values.subarray((row * T + from) * C, (row + 1) * T * C), (row * stride + from) * C);
  }
  return { x, hidden };
}
