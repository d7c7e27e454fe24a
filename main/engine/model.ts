/**
 * The model: one GPT with two heads. The trunk (token and position embeddings, pre-norm transformer blocks, a last
 * layer norm) is shared; a generator predicts the next token with the tied embedding, a reward model says how much
 * of a passage is natural with a small MLP on the last position. Architecture: GPT-2 as nanoGPT has it; modes and
 * reward head: seed 000, part 2. Parameters carry nanoGPT's names and PyTorch's [out, in] layout, so checkpoints map.
 *
 * Shapes in comments: B batch, T time, C width (n_embd), H heads, D = C/H, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import { normals, streams } from './rng.js';
import { gelu, layerNorm } from './layers.js';
import { dropout, type DropoutNoise } from './dropout.js';
import type { Session } from './runtime/types.js';
import type { HostArray, NamedArrays } from './types.js';

export type Parameters = Readonly<Record<string, tf.Variable>>;

/** Standard deviation of GPT-2's initial weights. */
const INITIAL_STD = 0.02;

/** Every parameter's shape by name, in nanoGPT's order. The tied `lm_head.weight` is `transformer.wte.weight`. */
export function parameterShapes(config: GPTConfig): Readonly<Record<string, readonly number[]>> {
  const { n_embd: C, n_layer, vocab_size, block_size, bias, mode, reward_head_hidden_dim: R } = config;
  const { reward_kind: kind = 'head', reward_pooling: pooling = 'last' } = config;
  const shapes: Record<string, readonly number[]> = {
    'transformer.wte.weight': [vocab_size, C],
    'transformer.wpe.weight': [block_size, C],
  };
  const norm = (name: string) => {
    shapes[`${name}.weight`] = [C];
    if (bias) shapes[`${name}.bias`] = [C];
  };
  const linear = (name: string, out: number, inputs: number, hasBias: boolean) => {
    shapes[`${name}.weight`] = [out, inputs];
    if (hasBias) shapes[`${name}.bias`] = [out];
  };
  for (let layer = 0; layer < n_layer; layer++) {
    const block = `transformer.h.${layer}`;
    norm(`${block}.ln_1`);
    linear(`${block}.attn.c_attn`, 3 * C, C, bias);
    linear(`${block}.attn.c_proj`, C, C, bias);
    norm(`${block}.ln_2`);
    linear(`${block}.mlp.c_fc`, 4 * C, C, bias);
    linear(`${block}.mlp.c_proj`, C, 4 * C, bias);
  }
  norm('transformer.ln_f');
  if (mode === 'reward' && kind !== 'critic') {
    linear('reward_head.0', R, C, true);
    linear('reward_head.2', 2, R, true);
    if (kind === 'head' && pooling === 'attention') shapes['reward_head.query'] = [C, 1];
  }
  // How far the critic's evidence is to be believed: one over the temperature of the posterior.
  if (mode === 'reward' && (kind === 'critic' || kind === 'hybrid')) shapes['reward_evidence.weight'] = [1];
  return shapes;
}

/** How many numbers the model learns; positions are counted, the tied head is not counted twice. */
export function parameterCount(config: GPTConfig): number {
  return Object.values(parameterShapes(config)).reduce((sum, shape) => sum + elements(shape), 0);
}

const elements = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** One freshly initialised parameter: GPT-2's normal(0, 0.02), residual projections smaller, norms one, biases zero. */
function initialParameter(name: string, shape: readonly number[], index: number, config: GPTConfig, seed: number) {
  const data = new Float32Array(elements(shape));
  if (name.endsWith('.weight') && shape.length === 1) data.fill(1);
  if (shape.length === 2) {
    // Each block adds to the residual stream twice; scaling keeps its size independent of depth (GPT-2, section 2.3).
    const std = name.endsWith('c_proj.weight') ? INITIAL_STD / Math.sqrt(2 * config.n_layer) : INITIAL_STD;
    const noise = normals(seed, streams.init, index, 0, data.length);
    for (let i = 0; i < data.length; i++) data[i] = std * (noise[i] ?? 0);
  }
  return { shape, data };
}

/**
 * Weights for `config`: those of `from` where the name is there, GPT-2's initialisation elsewhere. With a generator's
 * weights as `from` and mode `reward` this is how a reward model begins: the same trunk, a new head.
 */
export function initialWeights(config: GPTConfig, seed: number, from: NamedArrays = {}): NamedArrays {
  const weights: Record<string, HostArray> = {};
  Object.entries(parameterShapes(config)).forEach(([name, shape], index) => {
    weights[name] = from[name] ?? initialParameter(name, shape, index, config, seed);
  });
  return weights;
}

/**
 * Puts weights into a session's variables, named `<prefix><parameter>`. In order of name, whatever order they come in: a
 * checkpoint's order is not a fresh model's, and sums over all parameters must round the same in both.
 */
export function createParameters(session: Session, weights: NamedArrays, prefix = ''): Parameters {
  const byName = Object.entries(weights).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byName.map(([name, { shape, data }]) => [name, session.variable(prefix + name, shape, data)]),
  );
}

/** Takes weights out of a session. */
export function readParameters(session: Session, parameters: Parameters): NamedArrays {
  const entries = Object.entries(parameters);
  const values = session.readAll(entries.map(([, variable]) => variable));
  return Object.fromEntries(
    entries.map(([name, { shape }], i) => [name, { shape, data: Float32Array.from(values[i] ?? []) }]),
  );
}

/** Gives parameters of a session new values. */
export function writeParameters(session: Session, parameters: Parameters, weights: NamedArrays): void {
  for (const [name, { data }] of Object.entries(weights)) session.write(parameterOf(parameters, name), data);
}

export function parameterOf(parameters: Parameters, name: string): tf.Variable {
  const variable = parameters[name];
  if (!variable) throw new Error(`the model has no parameter ${name}`);
  return variable;
}

/** x W^T + b on the last axis. x: (…, in), W: (out, in). */
export function linear(parameters: Parameters, name: string, x: tf.Tensor): tf.Tensor {
  const weight = parameterOf(parameters, `${name}.weight`);
  const bias = parameters[`${name}.bias`];
  const [out = 0, inputs = 0] = weight.shape;
  const rows: tf.Tensor2D = tf.reshape(x, [-1, inputs]);
  const product = tf.matMul(rows, weight as tf.Tensor as tf.Tensor2D, false, true);
  return tf.reshape(bias ? tf.add(product, bias) : product, [...x.shape.slice(0, -1), out]);
}

/** Layer norm with the block's own scale and shift. */
export function norm(parameters: Parameters, name: string, x: tf.Tensor): tf.Tensor {
  return layerNorm(x, parameterOf(parameters, `${name}.weight`), parameters[`${name}.bias`]);
}

/** 0 where a position may look, −∞ where it may not. (T, T) */
function causalMask(T: number): tf.Tensor2D {
  const mask = new Float32Array(T * T);
  for (let row = 0; row < T; row++) mask.fill(-Infinity, row * T + row + 1, (row + 1) * T);
  return tf.tensor2d(mask, [T, T]);
}

/** The three projections of an attention layer, each (B, H, T, D). */
export function queriesKeysValues(config: GPTConfig, parameters: Parameters, block: string, x: tf.Tensor) {
  const [B = 0, T = 0, C = 0] = x.shape;
  const heads = [B, T, 3, config.n_head, C / config.n_head];
  const split = tf.transpose(tf.reshape(linear(parameters, `${block}.attn.c_attn`, x), heads), [2, 0, 3, 1, 4]);
  return tf.unstack(split, 0) as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D];
}

/**
 * A batch in two, where it can be. One passage's attention is a handful of small products, of which XLA computes one after
 * another on one thread; passages do not see each other, so two halves are computed side by side.
 */
const halves = (x: tf.Tensor4D): tf.Tensor4D[] => (x.shape[0] % 2 === 0 ? tf.split(x, 2, 0) : [x]);

/** softmax(q kᵀ / √D) v for (B, H, T, D) each, every position seeing those up to itself; heads side by side, (B, T, C). */
function attend(
  { n_embd: C, n_head: H, dropout: rate }: GPTConfig,
  q: tf.Tensor4D,
  k: tf.Tensor4D,
  v: tf.Tensor4D,
  noise?: DropoutNoise,
): tf.Tensor3D {
  const [B, , T] = q.shape;
  const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(C / H)); // (B, H, T, T)
  const weights = dropout(tf.softmax(tf.add(scores, causalMask(T))), rate, noise);
  return tf.reshape(tf.transpose(tf.matMul(weights, v), [0, 2, 1, 3]), [B, T, C]);
}

function attention(
  config: GPTConfig,
  parameters: Parameters,
  block: string,
  x: tf.Tensor,
  noise?: DropoutNoise,
  kept?: tf.Tensor[],
) {
  const [q, k, v] = queriesKeysValues(config, parameters, block, x); // each (B, H, T, D)
  kept?.push(k, v);
  const [queries, keys, values] = [halves(q), halves(k), halves(v)];
  const mixed = tf.concat(
    queries.map((half, i) => attend(config, half, keys[i] ?? k, values[i] ?? v, noise)),
    0,
  ); // (B, T, C)
  return dropout(linear(parameters, `${block}.attn.c_proj`, mixed), config.dropout, noise);
}

function mlp(config: GPTConfig, parameters: Parameters, block: string, x: tf.Tensor, noise?: DropoutNoise) {
  const hidden = gelu(linear(parameters, `${block}.mlp.c_fc`, x)); // (B, T, 4C)
  return dropout(linear(parameters, `${block}.mlp.c_proj`, hidden), config.dropout, noise);
}

/**
 * The shared trunk: ids (B, T) int32 to hidden states (B, T, C). Dropout acts only where `noise` is given.
 * @param kept gets the keys and values of every layer, (B, H, T, D) each: k of layer 0, v of layer 0, k of layer 1, …
 */
export function trunk(
  config: GPTConfig,
  parameters: Parameters,
  ids: tf.Tensor,
  noise?: DropoutNoise,
  kept?: tf.Tensor[],
): tf.Tensor3D {
  const [, T = 0] = ids.shape;
  const positions = tf.slice(parameterOf(parameters, 'transformer.wpe.weight'), [0, 0], [T, config.n_embd]);
  const tokens = tf.gather(parameterOf(parameters, 'transformer.wte.weight'), ids as tf.Tensor2D);
  let x: tf.Tensor = dropout(tf.add(tokens, positions), config.dropout, noise);
  for (let layer = 0; layer < config.n_layer; layer++) {
    const block = `transformer.h.${layer}`;
    x = tf.add(x, attention(config, parameters, block, norm(parameters, `${block}.ln_1`, x), noise, kept));
    x = tf.add(x, mlp(config, parameters, block, norm(parameters, `${block}.ln_2`, x), noise));
  }
  return norm(parameters, 'transformer.ln_f', x) as tf.Tensor3D;
}

/** Next-token scores of a generator, (…, V), from hidden states (…, C). */
export function lmLogits(parameters: Parameters, hidden: tf.Tensor): tf.Tensor {
  const weight = parameterOf(parameters, 'transformer.wte.weight');
  const [V = 0, C = 0] = weight.shape;
  const rows: tf.Tensor2D = tf.reshape(hidden, [-1, C]);
  const scores = tf.matMul(rows, weight as tf.Tensor as tf.Tensor2D, false, true);
  return tf.reshape(scores, [...hidden.shape.slice(0, -1), V]);
}

/** The hidden state that sums a sequence up: its last position. (B, T, C) to (B, C). */
export function lastHidden(hidden: tf.Tensor3D): tf.Tensor2D {
  const [B, T, C] = hidden.shape;
  return tf.reshape(tf.slice(hidden, [0, T - 1, 0], [B, 1, C]), [B, C]);
}

/** Scores of natural and synthetic from hidden states (B, C): Linear, ReLU, Linear. (B, 2) */
export function rewardLogits(parameters: Parameters, hidden: tf.Tensor2D): tf.Tensor2D {
  return linear(parameters, 'reward_head.2', tf.relu(linear(parameters, 'reward_head.0', hidden))) as tf.Tensor2D;
}

/** [P(natural), P(synthetic)] from pooled hidden states (B, C): Linear, ReLU, Linear, softmax. (B, 2) */
export function rewardProbabilities(parameters: Parameters, pooled: tf.Tensor2D): tf.Tensor2D {
  return tf.softmax(rewardLogits(parameters, pooled)) as tf.Tensor2D;
}
