/**
 * Writing token by token with a key-value cache: each new token is computed once, and attends to the keys and values
 * kept of those before it (Shazeer 2019, section 2.3). Every passage of a batch has a beginning of its own: at each
 * position the given token is taken where there is one, the drawn token elsewhere.
 *
 * Shapes in comments: B passages, T block, L length of the cache (at most T), C width, H heads, D = C/H, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import { gelu, tokenLogProbs } from './layers.js';
import { norm, parameterOf, trunk, type Parameters } from './model.js';
import { dynamicSlice, dynamicUpdateSlice, whileLoop } from './runtime/ops.js';
import { sampleTokens, type SamplingRule } from './sampling.js';

/** What a decoding loop carries from token to token; tensors in this order. */
export interface DecodeState {
  /** int32 scalar: the position of the last token that is known for every passage. */
  readonly position: tf.Tensor;
  /** int32 (B, T): given and drawn tokens; zeros beyond. */
  readonly tokens: tf.Tensor;
  /** (B, T): log-probability of each drawn token at the temperature, over the whole vocabulary; zero for given ones. */
  readonly logProbs: tf.Tensor;
  /** Keys and values of every layer, (B, H, L, D) each: k of layer 0, v of layer 0, k of layer 1, … */
  readonly cache: readonly tf.Tensor[];
}

export const stateList = ({ position, tokens, logProbs, cache }: DecodeState) => [position, tokens, logProbs, ...cache];

export function stateOf([position, tokens, logProbs, ...cache]: readonly tf.Tensor[]): DecodeState {
  if (!position || !tokens || !logProbs) throw new Error('a decoding state has at least three tensors');
  return { position, tokens, logProbs, cache };
}

const int = (value: number): tf.Tensor => tf.scalar(value, 'int32');

/** [0, …, position, …, 0] as the start of a slice, with `position` on `axis`. */
const startAt = (position: tf.Tensor, rank: number, axis: number): tf.Tensor1D =>
  tf.stack(Array.from({ length: rank }, (_, i) => (i === axis ? position : int(0)))) as tf.Tensor1D;

/** Column `position` of (B, T) as (B). */
const columnAt = (x: tf.Tensor, position: tf.Tensor): tf.Tensor1D => {
  const [B = 0] = x.shape;
  return tf.reshape(dynamicSlice(x, startAt(position, 2, 1), [B, 1]), [B]);
};

const withColumn = (x: tf.Tensor, column: tf.Tensor, position: tf.Tensor): tf.Tensor =>
  dynamicUpdateSlice(x, tf.reshape(column, [-1, 1]), startAt(position, 2, 1));

/** Weights as (in, out), by name. */
type Columns = Readonly<Record<string, tf.Tensor2D>>;

/**
 * Every matrix that tokens are multiplied with, transposed once: with a handful of rows to multiply, turning the matrix
 * around for every token would cost a fifth of the time.
 */
function transposeOnce(parameters: Parameters): Columns {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name, { rank }]) => rank === 2 && name !== 'transformer.wpe.weight')
      .map(([name, weight]) => [name, tf.transpose(weight as tf.Tensor as tf.Tensor2D)]),
  );
}

/** x W^T + b for rows x (B, in): `linear` of model.ts with W^T at hand. */
function project(parameters: Parameters, columns: Columns, name: string, x: tf.Tensor): tf.Tensor2D {
  const matrix = columns[`${name}.weight`];
  if (!matrix) throw new Error(`the model has no matrix ${name}`);
  const product: tf.Tensor2D = tf.matMul(x as tf.Tensor2D, matrix);
  const bias = parameters[`${name}.bias`];
  return bias ? tf.add(product, bias) : product;
}

/** The trunk for one token of each passage: ids (B) at `position` to hidden states (B, C), and the grown cache. */
function trunkStep(
  model: GPTConfig,
  parameters: Parameters,
  columns: Columns,
  ids: tf.Tensor1D,
  position: tf.Tensor,
  cache: readonly tf.Tensor[],
): { readonly hidden: tf.Tensor2D; readonly cache: readonly tf.Tensor[] } {
  const { n_embd: C, n_head: H } = model;
  const [B] = ids.shape;
  const L = cacheLength(cache);
  const D = C / H;
  const here = dynamicSlice(parameterOf(parameters, 'transformer.wpe.weight'), startAt(position, 2, 0), [1, C]);
  let x: tf.Tensor = tf.add(tf.gather(parameterOf(parameters, 'transformer.wte.weight'), ids), here); // (B, C)
  // Keys beyond the position are not written yet: 0 where one may look, far below any score where not.
  const future = tf.cast(tf.greater(tf.range(0, L, 1, 'int32'), position), 'float32');
  const mask = tf.reshape(tf.mul(future, -1e30), [1, 1, 1, L]);
  const grown: tf.Tensor[] = [];

  for (let layer = 0; layer < model.n_layer; layer++) {
    const block = `transformer.h.${layer}`;
    const projected = project(parameters, columns, `${block}.attn.c_attn`, norm(parameters, `${block}.ln_1`, x)); // (B, 3C)
    const [q, k, v] = tf.split(projected, 3, 1).map((part) => tf.reshape(part, [B, H, 1, D]));
    const [oldK, oldV] = [cache[2 * layer], cache[2 * layer + 1]];
    if (!q || !k || !v || !oldK || !oldV) throw new Error(`no cache for layer ${layer}`);
    const keys = dynamicUpdateSlice(oldK, k, startAt(position, 4, 2)); // (B, H, L, D)
    const values = dynamicUpdateSlice(oldV, v, startAt(position, 4, 2));
    grown.push(keys, values);
    const scores = tf.mul(tf.matMul(q, keys, false, true), 1 / Math.sqrt(D)); // (B, H, 1, L)
    const mixed = tf.reshape(tf.matMul(tf.softmax(tf.add(scores, mask)), values), [B, C]);
    x = tf.add(x, project(parameters, columns, `${block}.attn.c_proj`, mixed));
    const widened = gelu(project(parameters, columns, `${block}.mlp.c_fc`, norm(parameters, `${block}.ln_2`, x)));
    x = tf.add(x, project(parameters, columns, `${block}.mlp.c_proj`, widened));
  }
  return { hidden: norm(parameters, 'transformer.ln_f', x) as tf.Tensor2D, cache: grown };
}

/**
 * Goes on until the token at `end` is known, inside a compiled function.
 * @param prefixLengths int32 (B): how many tokens of each passage are given
 * @param u (B, T) uniform noise in [0, 1): u[b, t] decides token t of passage b
 * @param end int32 scalar, at most L and T − 1
 */
export function decodeUntil(
  model: GPTConfig,
  parameters: Parameters,
  rule: SamplingRule,
  start: DecodeState,
  prefixLengths: tf.Tensor,
  u: tf.Tensor,
  end: tf.Tensor,
): DecodeState {
  const columns = transposeOnce(parameters);
  const last = whileLoop<readonly tf.Tensor[]>(
    (position) => tf.less(position as tf.Tensor, end),
    (...list) => {
      const { position, tokens, logProbs, cache } = stateOf(list);
      const step = trunkStep(model, parameters, columns, columnAt(tokens, position), position, cache);
      const logits = project(parameters, columns, 'transformer.wte', step.hidden); // (B, V)
      const next = tf.add(position, int(1));
      const drawn = sampleTokens(logits, columnAt(u, next), rule);
      const given = tf.less(next, prefixLengths); // (B)
      const token = tf.where(given, columnAt(tokens, next), drawn);
      const logProb = tokenLogProbs(tf.div(logits, rule.temperature), drawn);
      return stateList({
        position: next,
        tokens: withColumn(tokens, token, next),
        logProbs: withColumn(logProbs, tf.where(given, tf.zerosLike(logProb), logProb), next),
        cache: step.cache,
      });
    },
    stateList(start),
  );
  return stateOf(last);
}

/** A state before the first step. tokens: int32 (B, T) with the given beginnings. The caller disposes. */
export function startState(model: GPTConfig, tokens: tf.Tensor, cacheLength: number): DecodeState {
  const { block_size: T, n_embd: C, n_head: H, n_layer } = model;
  const [B = 0] = tokens.shape;
  return {
    position: int(0),
    tokens,
    logProbs: tf.zeros([B, T]),
    cache: Array.from({ length: 2 * n_layer }, () => tf.zeros([B, H, cacheLength, C / H])),
  };
}

/**
 * The cache after tokens that are given in every passage, computed at once instead of one after the other.
 * @param given int32 (B, W)
 * @returns as `DecodeState.cache`, of the given length, zeros beyond W
 */
export function prefill(model: GPTConfig, parameters: Parameters, given: tf.Tensor, length: number): tf.Tensor[] {
  const kept: tf.Tensor[] = [];
  trunk(model, parameters, given, undefined, kept);
  return kept.map((x) => lengthened(x, length));
}

export const cacheLength = ([first]: readonly tf.Tensor[]): number => first?.shape[2] ?? 0;

/** A key or value cache (B, H, L, D) with zeros up to a greater length. */
export const lengthened = (cache: tf.Tensor, length: number): tf.Tensor =>
  tf.pad(cache as tf.Tensor4D, [
    [0, 0],
    [0, 0],
    [0, length - (cache.shape[2] ?? 0)],
    [0, 0],
  ]);
