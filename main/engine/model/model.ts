/**
 * A model is an architecture's trunk with one of two heads: next-token logits, or a reward head, a small MLP on hidden states that
 * estimates the natural share of a passage (docs/method.md). Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { isAdapter, isAdapterDown } from '../../../shared/architectures/adapters.js';
import { elements, parameterShapes } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { normals, streams, uniforms } from '../rng.js';
import type { HostArray, NamedArrays } from '../types.js';
import { architectureOf } from './architectures.js';
import type { DropoutNoise } from './dropout.js';
import { linear } from './layers.js';
import { parameterOf, type Parameters } from './parameters.js';

export {
  createParameters,
  parameterOf,
  readOnDemand,
  copyParameters,
  readParameters,
  writeParameters,
  type Parameters,
} from './parameters.js';

/**
 * Initializes a parameter: matrices normal with the architecture's deviation, norms 1, biases 0. As in PEFT, an adapter's first factor
 * is uniform up to 1/√in and its second 0.
 */
function fillInitial(
  data: Float32Array,
  { name, shape, index }: { readonly name: string; readonly shape: readonly number[]; readonly index: number },
  config: GPTConfig,
  seed: number,
): void {
  if (name.endsWith('.weight') && shape.length === 1) data.fill(1);
  if (isAdapterDown(name)) {
    const bound = 1 / Math.sqrt(shape[1] ?? 1);
    const noise = uniforms(seed, streams.init, index, 0, data.length);
    for (let i = 0; i < data.length; i++) data[i] = bound * (2 * (noise[i] ?? 0) - 1);
  } else if (shape.length === 2 && !isAdapter(name)) {
    const std = architectureOf(config).initialStd(config, name);
    const noise = std === 0 ? [] : normals(seed, streams.init, index, 0, data.length);
    for (let i = 0; i < noise.length; i++) data[i] = std * (noise[i] ?? 0);
  }
}

/** Takes weights from `from` by name and initializes the others, such as the head of a reward model on a generator's trunk. */
export function initialWeights(config: GPTConfig, seed: number, from: NamedArrays = {}): NamedArrays {
  const shapes = Object.entries(parameterShapes(config));
  const fresh = shapes.reduce((sum, [name, shape]) => sum + (from[name] ? 0 : elements(shape)), 0);
  // One block, which is freed sooner than many small ones.
  const block = new Float32Array(fresh);
  let place = 0;
  const weights: Record<string, HostArray> = {};
  shapes.forEach(([name, shape], index) => {
    const given = from[name];
    if (given) {
      weights[name] = given;
      return;
    }
    const data = block.subarray(place, (place += elements(shape)));
    fillInitial(data, { name, shape, index }, config, seed);
    weights[name] = { shape, data };
  });
  return weights;
}

/** Computes hidden states (B, T, C) of ids (B, T). @param noise of dropout. @param recomputation see Network */
export function trunk(
  config: GPTConfig,
  parameters: Parameters,
  ids: tf.Tensor,
  noise?: DropoutNoise,
  recomputation?: Recomputation,
): tf.Tensor3D {
  const { forward } = architectureOf(config).network(config, parameters);
  return forward(ids, { noise, recomputation }).hidden as tf.Tensor3D;
}

/** Next-token logits (…, V) of hidden states (…, C). */
export function lmLogits(config: GPTConfig, parameters: Parameters, hidden: tf.Tensor): tf.Tensor {
  return architectureOf(config).network(config, parameters).logits(hidden);
}

/** The last position's hidden state. (B, T, C) to (B, C) */
export function lastHidden(hidden: tf.Tensor3D): tf.Tensor2D {
  const [B, T, C] = hidden.shape;
  return tf.reshape(tf.slice(hidden, [0, T - 1, 0], [B, 1, C]), [B, C]);
}

/** [P(natural), P(synthetic)] from hidden states (B, C): Linear, ReLU, Linear, softmax. (B, 2) */
export function rewardProbabilities(parameters: Parameters, hidden: tf.Tensor2D): tf.Tensor2D {
  const layer = (name: string, x: tf.Tensor) =>
    linear({ weight: parameterOf(parameters, `${name}.weight`), bias: parameterOf(parameters, `${name}.bias`) }, x);
  return tf.softmax(layer('reward_head.2', tf.relu(layer('reward_head.0', hidden)))) as tf.Tensor2D;
}
